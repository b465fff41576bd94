"""Computes the reference numbers of the STEP tests with Open CASCADE, independently of this project.

    python3 -m venv venv && venv/bin/pip install cadquery-ocp==8.0.1.1.0
    venv/bin/python make.py DIR_WITH_STEP_FILES…

Writes one JSON file per STEP file beside this script. Lengths are millimetres (Open CASCADE converts every
file to its own system unit), areas mm2, volumes mm3. `id` is the number of the face's entity in the file.
Areas and volumes are integrated twice: adaptively, `*_error` being the relative error that Open CASCADE itself
estimates, and by its fixed rule (`*_fixed`). Neither is right to more than some 1e-6 everywhere: the first misjudges
swept surfaces, the second edges with many knots; where they disagree, one of them is nearly always right. `box` is BRepBndLib::AddOptimal without triangulation and without shape tolerances, so it bounds
the exact geometry up to its own search tolerance.

`edge_angles` has the least and the greatest angle between the outward normals of the two faces of an edge at nine
places of it, each found through the parameter curve of the edge on the face; positive where the edge is convex, in
radians. Edges without an entity of their own are left out; `edges_by_class` counts all that are not degenerate, smooth
below SMOOTH.
"""

import hashlib
import json
import math
import pathlib
import re
import sys

import OCP
from OCP.collections import IndexedMap_TopoDS_Shape_TopTools_ShapeMapHasher as ShapeMap
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Curve, BRepAdaptor_Curve2d, BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepCheck import BRepCheck_Analyzer
from OCP.BRepGProp import BRepGProp
from OCP.GProp import GProp_GProps
from OCP.IFSelect import IFSelect_RetDone
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_FORWARD, TopAbs_REVERSED, TopAbs_SHELL, TopAbs_SOLID, TopAbs_VERTEX
from OCP.TopExp import TopExp, TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS
from OCP.gp import gp_Pnt, gp_Vec

INTEGRATION_EPS = 1e-9
SMOOTH = 1e-4
PLACES = 9
FACES = ["ADVANCED_FACE", "FACE_SURFACE"]
SOLIDS = ["MANIFOLD_SOLID_BREP", "BREP_WITH_VOIDS", "FACETED_BREP"]


def unique(shape, kind):
    found = ShapeMap()
    TopExp.MapShapes_s(shape, kind, found)
    return [found.FindKey(i) for i in range(1, found.Extent() + 1)]


def box_of(shape):
    box = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, box, False, False)
    box.SetGap(0.0)
    low, high = box.CornerMin(), box.CornerMax()
    return [[low.X(), low.Y(), low.Z()], [high.X(), high.Y(), high.Z()]]


def area_of(face):
    adaptive, fixed = GProp_GProps(), GProp_GProps()
    error = BRepGProp.SurfaceProperties_s(face, adaptive, INTEGRATION_EPS, False)
    BRepGProp.SurfaceProperties_s(face, fixed, False, False)
    return {"area": adaptive.Mass(), "area_error": error, "area_fixed": fixed.Mass()}


def volume_of(solid):
    adaptive, fixed = GProp_GProps(), GProp_GProps()
    error = BRepGProp.VolumeProperties_s(solid, adaptive, INTEGRATION_EPS, True, False)
    BRepGProp.VolumeProperties_s(solid, fixed, True, False, False)
    centres = [properties.CentreOfMass() for properties in (adaptive, fixed)]
    centre, centre_fixed = ([at.X(), at.Y(), at.Z()] for at in centres)
    return {
        "volume": adaptive.Mass(),
        "volume_error": error,
        "volume_fixed": fixed.Mass(),
        "centre": centre,
        "centre_fixed": centre_fixed,
    }


def sides_of(shape):
    """For each edge the faces on its left and right, seen from outside, each with the edge as it runs there."""
    edges = unique(shape, TopAbs_EDGE)
    order = ShapeMap()
    for edge in edges:
        order.Add(edge)
    sides = [[None, None] for _ in edges]
    # Faces as their shells have them; exploring a face turns its edges with it.
    faces = TopExp_Explorer(shape, TopAbs_FACE)
    while faces.More():
        face = TopoDS.Face(faces.Current())
        inner = TopExp_Explorer(face, TopAbs_EDGE)
        while inner.More():
            edge = TopoDS.Edge(inner.Current())
            if edge.Orientation() in (TopAbs_FORWARD, TopAbs_REVERSED):
                # The parameter curve belongs to the edge as the face itself has it.
                own = edge.Oriented(TopAbs_FORWARD)
                if (edge.Orientation() == TopAbs_REVERSED) != (face.Orientation() == TopAbs_REVERSED):
                    own = edge.Oriented(TopAbs_REVERSED)
                right = edge.Orientation() == TopAbs_REVERSED
                sides[order.FindIndex(edge) - 1][right] = (face, TopoDS.Edge(own))
            inner.Next()
        faces.Next()
    return list(zip(edges, sides))


def normal_at(face, edge, t):
    surface = BRepAdaptor_Surface(TopoDS.Face(face.Oriented(TopAbs_FORWARD)))
    uv = BRepAdaptor_Curve2d(edge, TopoDS.Face(face.Oriented(TopAbs_FORWARD))).Value(t)
    point, u, v = gp_Pnt(), gp_Vec(), gp_Vec()
    surface.D1(uv.X(), uv.Y(), point, u, v)
    normal = u.Crossed(v)
    if normal.Magnitude() < 1e-12 * max(u.SquareMagnitude(), v.SquareMagnitude()):
        return None
    normal.Normalize()
    return normal.Reversed() if face.Orientation() == TopAbs_REVERSED else normal


def angles_of(edge, sides):
    curve = BRepAdaptor_Curve(TopoDS.Edge(edge))
    low, high = curve.FirstParameter(), curve.LastParameter()
    angles = []
    for place in range(PLACES):
        t = low + (high - low) * (place + 0.5) / PLACES
        point, along = gp_Pnt(), gp_Vec()
        curve.D1(t, point, along)
        n, m = (normal_at(face, own, t) for face, own in sides)
        if n is None or m is None or along.Magnitude() == 0:
            continue
        angles.append(math.atan2(n.Crossed(m).Dot(along.Normalized()), n.Dot(m)))
    return [round(min(angles, default=0.0), 6), round(max(angles, default=0.0), 6)]


def class_of(least, most):
    convex, reflex = most > SMOOTH, least < -SMOOTH
    return "mixed" if convex and reflex else "convex" if convex else "reflex" if reflex else "smooth"


def describe(path):
    reader = STEPControl_Reader()
    if reader.ReadFile(str(path)) != IFSelect_RetDone:
        raise SystemExit(f"{path}: not read")
    reader.TransferRoots()
    shape = reader.OneShape()
    transfer = reader.WS().TransferReader()
    model = reader.Model()

    # The model keeps the order of the file; its own numbering is not usable from Python, so that entity
    # numbers come from the text (strings removed, for they may hold anything).
    text = re.sub(r"'[^']*'", "''", path.read_text(encoding="latin-1"))
    records = re.findall(r"#(\d+)\s*=\s*\(?\s*([A-Z_0-9]+)", text)
    entities = [model.Value(i) for i in range(1, model.NbEntities() + 1)]
    if len(records) != len(entities):
        raise SystemExit(f"{path}: {len(records)} records in the text, {len(entities)} in the model")
    rank = {id(e): i for i, e in enumerate(entities)}

    def entity(sub, keywords):
        # An instance in an assembly comes from its usage; the part itself is what is wanted.
        for candidate in (sub.Located(TopLoc_Location()), sub):
            found = transfer.EntityFromShapeResult(candidate, 1)
            number, keyword = records[rank[id(found)]] if found else (None, None)
            if keyword in keywords:
                return int(number)
        return None

    faces = []
    kinds = {}
    for face in unique(shape, TopAbs_FACE):
        face = TopoDS.Face(face)
        kind = BRepAdaptor_Surface(face).GetType().name.removeprefix("GeomAbs_")
        kinds[kind] = kinds.get(kind, 0) + 1
        faces.append({"id": entity(face, FACES), "surface": kind, **area_of(face)})
    solids = []
    for solid in unique(shape, TopAbs_SOLID):
        solids.append({
            "id": entity(solid, SOLIDS),
            "faces": len(unique(solid, TopAbs_FACE)),
            **volume_of(solid),
            "box": box_of(solid),
        })
    edges = [TopoDS.Edge(e) for e in unique(shape, TopAbs_EDGE)]
    edge_angles, by_class = {}, {}
    for edge, sides in sides_of(shape):
        if BRep_Tool.Degenerated_s(TopoDS.Edge(edge)):
            continue
        angles = None if None in sides else angles_of(edge, sides)
        found = class_of(*angles) if angles else "open"
        by_class[found] = by_class.get(found, 0) + 1
        number = entity(edge, ["EDGE_CURVE"])
        if number is not None and angles:
            edge_angles[number] = angles
    return {
        "file": path.name,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "origin": f"Open CASCADE through cadquery-ocp {OCP.__version__}, make.py",
        "units": "mm",
        "solids": len(solids),
        "shells": len(unique(shape, TopAbs_SHELL)),
        "faces": len(faces),
        "edges": sum(not BRep_Tool.Degenerated_s(e) for e in edges),
        "degenerate_edges": sum(BRep_Tool.Degenerated_s(e) for e in edges),
        "vertices": len(unique(shape, TopAbs_VERTEX)),
        "valid": BRepCheck_Analyzer(shape).IsValid(),
        "faces_by_surface": dict(sorted(kinds.items())),
        "edges_by_class": dict(sorted(by_class.items())),
        "area": sum(f["area"] for f in faces),
        "volume": sum(s["volume"] for s in solids),
        "box": box_of(shape),
        "solid_list": solids,
        "face_list": sorted(faces, key=lambda f: f["id"] or 0),
        "edge_angles": dict(sorted(edge_angles.items())),
    }


def main():
    here = pathlib.Path(__file__).parent
    for path in sorted(path for folder in sys.argv[1:] for path in pathlib.Path(folder).glob("*.st*p")):
        result = describe(path)
        text = re.sub(r"\[\s+([-\d.e]+),\s+([-\d.e]+)\s+\]", r"[\1, \2]", json.dumps(result, indent=1))
        (here / f"{path.stem}.json").write_text(text + "\n")
        print(path.name, result["solids"], result["faces"], result["area"], result["volume"])


main()
