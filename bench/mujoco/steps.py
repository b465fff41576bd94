"""Steps one scene with MuJoCo: reads it as JSON, writes times per step and final poses as JSON."""

import json
import sys
import time

import mujoco
import numpy as np


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def model_text(plan):
    text = [
        "<mujoco>",
        f'<option timestep="{plan["step"]}" gravity="0 0 -9.81" solver="CG" cone="elliptic"/>',
        '<size memory="1G"/>',
        f'<default><geom friction="{plan["friction"]} 0 0" density="{plan["density"]}" condim="3"/></default>',
        "<asset>",
    ]
    for at, points in enumerate(plan["bodies"]):
        if plan["boxes"][at] is None:
            corners = numbers(x for point in points for x in point)
            text.append(f'<mesh name="m{at}" vertex="{corners}"/>')
    text.append("</asset><worldbody>")
    for plane in plan["planes"]:
        text.append(
            f'<geom type="plane" size="0 0 1" pos="{numbers(plane["position"])}" quat="{numbers(plane["turn"])}"/>'
        )
    for at, place in enumerate(plan["places"]):
        size = plan["boxes"][at]
        shape = f'type="mesh" mesh="m{at}"' if size is None else f'type="box" size="{numbers(x / 2 for x in size)}"'
        text.append(
            f'<body name="b{at}" pos="{numbers(place[:3])}" quat="{numbers(place[3:])}"><freejoint/><geom {shape}/></body>'
        )
    text.append("</worldbody><equality>")
    for joint in plan["joints"]:
        one, two = joint["bodies"]
        other = "" if one is None else f' body2="b{one}"'
        text.append(f'<connect body1="b{two}"{other} anchor="{numbers(joint["anchor"])}"/>')
    text.append("</equality><contact>")
    for joint in plan["joints"]:
        one, two = joint["bodies"]
        if one is not None:
            text.append(f'<exclude body1="b{one}" body2="b{two}"/>')
    text.append("</contact></mujoco>")
    return "\n".join(text)


def main():
    plan = json.load(sys.stdin)
    model = mujoco.MjModel.from_xml_string(model_text(plan))
    data = mujoco.MjData(model)
    times = []
    started = time.perf_counter()
    for at in range(plan["warm"] + plan["steps"]):
        before = time.perf_counter()
        mujoco.mj_step(model, data)
        after = time.perf_counter()
        if at >= plan["warm"]:
            times.append(after - before)
        if after - started > plan["limit"] and times:
            break
    poses = np.asarray(data.qpos).reshape(-1, 7)
    json.dump({"times": times, "places": poses.tolist()}, sys.stdout)


main()
