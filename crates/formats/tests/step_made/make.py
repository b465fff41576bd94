"""Makes small STEP files with Open CASCADE that hold what the real ones lack.

    venv/bin/python make.py     (see ../step_reference/make.py for the environment)

Writes the files beside this script; ../step_reference/make.py then computes their numbers.
"""

import math
import pathlib
import re

from OCP.BRep import BRep_Builder
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common, BRepAlgoAPI_Cut
from OCP.BRepBuilderAPI import (
    BRepBuilderAPI_MakeEdge,
    BRepBuilderAPI_MakeFace,
    BRepBuilderAPI_MakeWire,
    BRepBuilderAPI_NurbsConvert,
)
from OCP.BRepPrimAPI import (
    BRepPrimAPI_MakeBox,
    BRepPrimAPI_MakeCone,
    BRepPrimAPI_MakeCylinder,
    BRepPrimAPI_MakePrism,
    BRepPrimAPI_MakeRevol,
    BRepPrimAPI_MakeSphere,
    BRepPrimAPI_MakeTorus,
)
from OCP.Geom import Geom_BezierCurve
from OCP.Interface import Interface_Static
from OCP.STEPCAFControl import STEPCAFControl_Writer
from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer
from OCP.TCollection import TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_FACE
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS_Compound
from OCP.XCAFDoc import XCAFDoc_DocumentTool
from OCP.collections import Array1_gp_Pnt
from OCP.gp import gp_Ax1, gp_Ax2, gp_Dir, gp_Elips, gp_Pnt, gp_Trsf, gp_Vec

HERE = pathlib.Path(__file__).parent


def tidy(path):
    """Removes what changes from run to run, and the colours nobody needs."""
    text = path.read_text()
    text = re.sub(r"FILE_NAME\((.*?)\);", "FILE_NAME('','',(''),(''),'','','');", text, count=1, flags=re.S)
    path.write_text(text)


def write(name, shape, unit="MM"):
    Interface_Static.SetCVal_s("write.step.unit", unit)
    writer = STEPControl_Writer()
    writer.Transfer(shape, STEPControl_AsIs)
    writer.Write(str(HERE / f"{name}.step"))
    tidy(HERE / f"{name}.step")


def bezier(*points):
    array = Array1_gp_Pnt(1, len(points))
    for at, point in enumerate(points, 1):
        array.SetValue(at, gp_Pnt(*point))
    return BRepBuilderAPI_MakeEdge(Geom_BezierCurve(array)).Edge()


def line(a, b):
    return BRepBuilderAPI_MakeEdge(gp_Pnt(*a), gp_Pnt(*b)).Edge()


def face(*edges):
    wire = BRepBuilderAPI_MakeWire()
    for edge in edges:
        wire.Add(edge)
    return BRepBuilderAPI_MakeFace(wire.Wire()).Face()


def vase():
    """A solid of revolution whose side is swept by a Bezier curve, a third of a turn."""
    profile = face(
        line((1, 0, 0), (4, 0, 0)),
        bezier((4, 0, 0), (6, 0, 3), (2, 0, 5), (3, 0, 9)),
        line((3, 0, 9), (1, 0, 9)),
        line((1, 0, 9), (1, 0, 0)),
    )
    return BRepPrimAPI_MakeRevol(profile, gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), 2 * math.pi / 3).Shape()


def prism():
    """Half an ellipse and a Bezier curve, extruded aslant."""
    ellipse = gp_Elips(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(0, 0, 1)), 5, 3)
    arc = BRepBuilderAPI_MakeEdge(ellipse, 0, math.pi).Edge()
    back = bezier((-5, 0, 0), (-2, -4, 0), (1, 2, 0), (5, 0, 0))
    return BRepPrimAPI_MakePrism(face(arc, back), gp_Vec(1, 2, 7)).Shape()


def assembly():
    """A part with a hole twice, once turned, and a ball, one level down; written in inches."""
    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())

    def named(label, name):
        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    plate = BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(20, 10, 4).Shape(),
                            BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(5, 5, -1), gp_Dir(0, 0, 1)), 2, 6).Shape()).Shape()
    plate = named(tool.AddShape(plate, False), "plate")
    ball = named(tool.AddShape(BRepPrimAPI_MakeSphere(3).Shape(), False), "ball")
    inner = named(tool.NewShape(), "pair")
    outer = named(tool.NewShape(), "machine")
    moved = gp_Trsf()
    moved.SetTranslation(gp_Vec(0, 0, 10))
    turned = gp_Trsf()
    turned.SetRotation(gp_Ax1(gp_Pnt(1, 2, 3), gp_Dir(1, 1, 1)), 1.0)
    turned = moved.Multiplied(turned)
    far = gp_Trsf()
    far.SetTranslation(gp_Vec(100, 0, 0))
    named(tool.AddComponent(inner, plate, TopLoc_Location()), "plate low")
    named(tool.AddComponent(inner, plate, TopLoc_Location(turned)), "plate high")
    named(tool.AddComponent(outer, inner, TopLoc_Location(moved)), "pair")
    named(tool.AddComponent(outer, ball, TopLoc_Location(far)), "ball")
    tool.UpdateAssemblies()
    Interface_Static.SetCVal_s("write.step.unit", "INCH")
    writer = STEPCAFControl_Writer()
    writer.SetColorMode(False)
    writer.SetNameMode(True)
    writer.Transfer(document)
    writer.Write(str(HERE / "assembly.step"))
    tidy(HERE / "assembly.step")


def sheet():
    """Three faces of a box that hang together, as an open shell."""
    from OCP.TopoDS import TopoDS_Shell

    builder, shell = BRep_Builder(), TopoDS_Shell()
    builder.MakeShell(shell)
    faces = TopExp_Explorer(BRepPrimAPI_MakeBox(1, 2, 3).Shape(), TopAbs_FACE)
    for _ in range(3):
        builder.Add(shell, faces.Current())
        faces.Next()
    return shell


def main():
    hole = BRepPrimAPI_MakeSphere(gp_Pnt(5, 5, 5), 2).Shape()
    write("void", BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(10, 10, 10).Shape(), hole).Shape())
    write("vase", vase())
    write("prism", prism(), "M")
    write("sheet", sheet())
    ring = BRepAlgoAPI_Common(BRepPrimAPI_MakeTorus(6, 2).Shape(), BRepPrimAPI_MakeBox(20, 20, 20).Shape()).Shape()
    write("nurbs", BRepBuilderAPI_NurbsConvert(ring, True).Shape())
    # A ball cut through its poles, a cone with its apex, a tube wider than its circle.
    compound = TopoDS_Compound()
    builder = BRep_Builder()
    builder.MakeCompound(compound)
    block = BRepPrimAPI_MakeBox(gp_Pnt(0, 0, -9), 9, 9, 18).Shape()
    builder.Add(compound, BRepAlgoAPI_Cut(BRepPrimAPI_MakeSphere(4).Shape(), block).Shape())
    builder.Add(compound, BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(20, 0, 0), gp_Dir(0, 1, 0)), 3, 0, 5).Shape())
    builder.Add(compound, BRepPrimAPI_MakeTorus(gp_Ax2(gp_Pnt(40, 0, 0), gp_Dir(1, 1, 0)), 5, 2, -1.0, 2.0, 1.5).Shape())
    write("poles", compound)
    assembly()


main()
