"""Open CASCADE's side of `cargo xtask bench certified` and `bench tracking`.

Reads the plan (bodies, poses, points) from the JSON file named on the command line, then answers one question a line:

    ready                 answers with 1
    body NAME             builds it; answers with the largest tolerance of its edges and vertices
    distance PAIR POSE    BRepExtrema_DistShapeShape, made anew: answers with ns and the distance
    project SURFACE FIRST COUNT
                          GeomAPI_ProjectPointOnSurf, made anew and prepared, for points in a row: answers with ns of both for
                          each point, what calls from here cost taken off, and the distances

Times are processor time of the thread, as on the other side of the pipe. A question that takes longer than the limit
ends the process; who asked sees the pipe close.
"""

import json
import math
import os
import signal
import sys
import time

from OCP.BRep import BRep_Tool
from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_GTransform,
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeSolid,
    BRepBuilderAPI_MakeWire,
    BRepBuilderAPI_Sewing,
)
from OCP.BRepExtrema import BRepExtrema_DistShapeShape
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakeRevol,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.GC import GC_MakeArcOfCircle
from OCP.Geom import Geom_BezierCurve, Geom_BezierSurface, Geom_BSplineSurface, Geom_ToroidalSurface
from OCP.GeomAPI import GeomAPI_ProjectPointOnSurf
from OCP.STEPControl import STEPControl_Reader
from OCP.TopAbs import TopAbs_EDGE, TopAbs_SHELL, TopAbs_VERTEX
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS
from OCP.collections import Array1_double, Array1_gp_Pnt, Array1_int, Array2_double, Array2_gp_Pnt
from OCP.gp import gp_Ax1, gp_Ax2, gp_Ax3, gp_Dir, gp_GTrsf, gp_Mat, gp_Pnt, gp_Quaternion, gp_Trsf, gp_Vec, gp_XYZ

# Sides of patches that are this close are one edge, as on the other side of the pipe.
SEWING = 1e-6


def poles(net):
    array = Array2_gp_Pnt(1, len(net), 1, len(net[0]))
    for i, row in enumerate(net):
        for j, point in enumerate(row):
            array.SetValue(i + 1, j + 1, gp_Pnt(*point))
    return array


def knots(values):
    """Each value once, and how often it occurs."""
    distinct = sorted(set(values))
    at, times = Array1_double(1, len(distinct)), Array1_int(1, len(distinct))
    for i, value in enumerate(distinct):
        at.SetValue(i + 1, value)
        times.SetValue(i + 1, values.count(value))
    return at, times


def spline(spec):
    net, weights = spec["points"], spec.get("weights")
    (u, u_times), (v, v_times) = map(knots, spec["knots"])
    arguments = [poles(net)]
    if weights:
        array = Array2_double(1, len(net), 1, len(net[0]))
        for i, row in enumerate(weights):
            for j, weight in enumerate(row):
                array.SetValue(i + 1, j + 1, weight)
        arguments.append(array)
    return Geom_BSplineSurface(*arguments, u, v, u_times, v_times, *spec["degree"])


def tiled(surfaces):
    """Faces sewn together: a solid where they close."""
    sewing = BRepBuilderAPI_Sewing(SEWING)
    for surface in surfaces:
        sewing.Add(BRepBuilderAPI_MakeFace(surface, SEWING).Face())
    sewing.Perform()
    shape = sewing.SewedShape()
    shells = TopExp_Explorer(shape, TopAbs_SHELL)
    if sewing.NbFreeEdges() == 0 and shells.More():
        return BRepBuilderAPI_MakeSolid(TopoDS.Shell(shells.Current())).Solid()
    return shape


def along_z(z):
    return gp_Ax2(gp_Pnt(0.0, 0.0, z), gp_Dir(0.0, 0.0, 1.0))


def capsule(radius, height):
    half = 0.5 * height
    side = BRepPrimAPI_MakeCylinder(along_z(-half), radius, height).Shape()
    for z in (half, -half):
        ball = BRepPrimAPI_MakeSphere(gp_Pnt(0.0, 0.0, z), radius).Shape()
        side = BRepAlgoAPI_Fuse(side, ball).Shape()
    return side


def ellipsoid(radii):
    stretch = gp_GTrsf(gp_Mat(radii[0], 0, 0, 0, radii[1], 0, 0, 0, radii[2]), gp_XYZ(0, 0, 0))
    return BRepBuilderAPI_GTransform(BRepPrimAPI_MakeSphere(1.0).Shape(), stretch, True).Shape()


def step(path):
    reader = STEPControl_Reader()
    reader.ReadFile(path)
    reader.TransferRoots()
    return reader.OneShape()


def cone(spec):
    # A cone whose radii are equal is refused.
    return BRepPrimAPI_MakeCone(spec["radius"], spec.get("top_radius", 0.0), spec["height"]).Shape()


def box(size):
    return BRepPrimAPI_MakeBox(gp_Pnt(*(-0.5 * s for s in size)), *size).Shape()


def edge(segment):
    """A piece of a profile in the half-plane y = 0, x > 0."""
    at = lambda p: gp_Pnt(p[0], 0.0, p[1])
    if "line" in segment:
        return BRepBuilderAPI_MakeEdge(*(at(p) for p in segment["line"])).Edge()
    if "parabola" in segment:
        # With its vertex at the first point and its axis along z: a quadratic spline.
        first, last = segment["parabola"]["from"], segment["parabola"]["to"]
        points = Array1_gp_Pnt(1, 3)
        for i, p in enumerate((first, [0.5 * (first[0] + last[0]), first[1]], last)):
            points.SetValue(i + 1, at(p))
        return BRepBuilderAPI_MakeEdge(Geom_BezierCurve(points)).Edge()
    arc = segment["arc"]
    (cx, cz), angles = arc["center"], []
    for p in (arc["from"], arc["to"]):
        angles.append(math.atan2(p[1] - cz, p[0] - cx))
    if arc["ccw"] and angles[1] < angles[0]:
        angles[1] += math.tau
    if not arc["ccw"] and angles[1] > angles[0]:
        angles[1] -= math.tau
    middle, radius = 0.5 * sum(angles), math.dist(arc["from"], arc["center"])
    through = [cx + radius * math.cos(middle), cz + radius * math.sin(middle)]
    circle = GC_MakeArcOfCircle(at(arc["from"]), at(through), at(arc["to"])).Value()
    return BRepBuilderAPI_MakeEdge(circle).Edge()


def revolve(profile):
    wire = BRepBuilderAPI_MakeWire()
    for segment in profile:
        wire.Add(edge(segment))
    ends = [next(iter(segment.values())) for segment in (profile[-1], profile[0])]
    last = ends[0]["to"] if isinstance(ends[0], dict) else ends[0][-1]
    first = ends[1]["from"] if isinstance(ends[1], dict) else ends[1][0]
    if last != first:
        wire.Add(edge({"line": [last, first]}))
    face = BRepBuilderAPI_MakeFace(wire.Wire()).Face()
    axis = gp_Ax1(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
    return BRepPrimAPI_MakeRevol(face, axis).Shape()


def nets(spec, folder):
    if "patches" in spec:
        return spec["patches"]
    with open(os.path.join(folder, spec["file"])) as file:
        return json.load(file)["patches"]


def shape(spec, folder):
    makers = {
        "box": lambda: box(spec["size"]),
        "sphere": lambda: BRepPrimAPI_MakeSphere(spec["radius"]).Shape(),
        "ellipsoid": lambda: ellipsoid(spec["radii"]),
        "cylinder": lambda: BRepPrimAPI_MakeCylinder(
            along_z(-0.5 * spec["height"]), spec["radius"], spec["height"]
        ).Shape(),
        "cone": lambda: cone(spec),
        "capsule": lambda: capsule(spec["radius"], spec["height"]),
        "revolve": lambda: revolve(spec["profile"]),
        "torus": lambda: BRepPrimAPI_MakeTorus(spec["major"], spec["minor"]).Shape(),
        "nurbs": lambda: BRepBuilderAPI_MakeFace(spline(spec), SEWING).Face(),
        "tiled": lambda: tiled(
            [spline(face) for face in spec["faces"]]
            if "faces" in spec
            else [Geom_BezierSurface(poles(net)) for net in nets(spec, folder)]
        ),
        "step": lambda: step(os.path.join(folder, spec["file"])),
    }
    return makers[spec["kind"]]()


def surface(spec):
    if spec["kind"] == "torus":
        frame = gp_Ax3(gp_Pnt(0.0, 0.0, 0.0), gp_Dir(0.0, 0.0, 1.0))
        return Geom_ToroidalSurface(frame, spec["major"], spec["minor"])
    return spline(spec)


def tolerance(whole):
    most = 0.0
    for kind, cast in ((TopAbs_EDGE, TopoDS.Edge), (TopAbs_VERTEX, TopoDS.Vertex)):
        parts = TopExp_Explorer(whole, kind)
        while parts.More():
            most = max(most, BRep_Tool.Tolerance_s(cast(parts.Current())))
            parts.Next()
    return most


def timed(call):
    began = time.thread_time_ns()
    result = call()
    return time.thread_time_ns() - began, result


class Answers:
    def __init__(self, plan):
        self.plan = plan
        self.shapes = {}
        self.surfaces = {}

    def shape(self, name):
        if name not in self.shapes:
            self.shapes[name] = shape(self.plan["bodies"][name], self.plan["folder"])
        return self.shapes[name]

    def ready(self):
        return [1.0]

    def body(self, name):
        return [tolerance(self.shape(name))]

    def distance(self, pair, pose):
        row = self.plan["pairs"][int(pair)]
        a, b = (self.shape(name) for name in row["bodies"])
        x, y, z, w, *translation = row["poses"][int(pose)]
        motion = gp_Trsf()
        motion.SetRotation(gp_Quaternion(x, y, z, w))
        motion.SetTranslationPart(gp_Vec(*translation))
        b = b.Moved(TopLoc_Location(motion))
        took, found = timed(lambda: BRepExtrema_DistShapeShape(a, b))
        return [took, found.Value() if found.IsDone() else None]

    def project(self, at, first, count):
        row = self.plan["surfaces"][int(at)]
        if at not in self.surfaces:
            made = surface(row["shape"])
            prepared = GeomAPI_ProjectPointOnSurf()
            u0, u1, v0, v1 = made.Bounds()
            prepared.Init(made, u0, u1, v0, v1)
            self.surfaces[at] = made, prepared
        made, prepared = self.surfaces[at]
        points = [gp_Pnt(*point) for point in row["points"][int(first) :][: int(count)]]
        # A call that does next to nothing, as often.
        calls, _ = timed(lambda: [point.X() for point in points])
        cold, found = timed(lambda: [GeomAPI_ProjectPointOnSurf(point, made) for point in points])
        warm, _ = timed(lambda: [prepared.Perform(point) for point in points])
        nearest = [answer.LowerDistance() if answer.NbPoints() > 0 else None for answer in found]
        return [(took - calls) / len(points) for took in (cold, warm)] + nearest


def main():
    # Open CASCADE and its readers write to standard output as well: the answers get a channel of their own.
    answers_to = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    answers = Answers(plan)
    # Processor time, so that a busy machine does not count against it.
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "distance":
            # Bodies are built before the limit begins to run.
            for name in plan["pairs"][int(rest[0])]["bodies"]:
                answers.shape(name)
        signal.setitimer(signal.ITIMER_PROF, plan["limit_s"] if word != "body" else 0)
        try:
            answer = getattr(answers, word)(*rest)
        except Exception as error:
            print(f"{line.strip()}: {error}", file=sys.stderr)
            answer = {"distance": [math.nan, None], "project": [math.nan, math.nan], "body": [math.nan]}[word]
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers_to.write(" ".join("none" if value is None else repr(value) for value in answer) + "\n")


main()
