"""HDF5 files as others lay them out, made by h5py alone."""

import io

import av
import cv2
import h5py
import numpy as np

ROWS = 12
SIDES = (24, 32)  # height, width


def pictures(rows=ROWS, seed=0):
    """Smooth pictures, so that a lossy codec keeps them; no two alike."""
    across = np.linspace(0, 150, SIDES[1])[None, :, None]
    made = [np.broadcast_to(across + 8 * (row + seed), (*SIDES, 3)) for row in range(rows)]
    return np.clip(np.stack(made), 0, 255).astype(np.uint8)


def jpeg(picture):
    return cv2.imencode(".jpg", picture[:, :, ::-1])[1].reshape(-1)


def video(frames, form="mp4", fps=25):
    out = io.BytesIO()
    with av.open(out, "w", format=form) as container:
        stream = container.add_stream("libx264", rate=fps, options={"preset": "ultrafast", "crf": "10", "bf": "2"})
        stream.width, stream.height, stream.pix_fmt = SIDES[1], SIDES[0], "yuv420p"
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")))
        container.mux(stream.encode())
    return out.getvalue()


def robomimic(path, demos=2, **options):
    with h5py.File(path, "w", **options) as file:
        data = file.create_group("data")
        data.attrs["env_args"] = (
            '{"env_name": "Lift", "type": 1, "env_kwargs": {"control_freq": 25, "robots": ["Panda"]}}'
        )
        data.attrs["total"] = ROWS * demos
        for i in range(demos):
            add_demo(data, f"demo_{i}", seed=i)
        file["mask/train"] = np.asarray([f"demo_{i}" for i in range(1, demos)], "S")
        file["mask/valid"] = np.asarray(["demo_0"], "S")
    return path


def add_demo(data, name, seed=0):
    random = np.random.default_rng(seed)
    demo = data.create_group(name)
    demo.attrs["num_samples"] = ROWS
    demo.attrs["model_file"] = '<mujoco model="base"></mujoco>'
    demo["actions"] = random.uniform(-1, 1, (ROWS, 7))
    demo["rewards"] = np.eye(ROWS)[-1]
    demo["dones"] = np.eye(ROWS, dtype=np.int64)[-1]
    demo["states"] = random.normal(size=(ROWS, 9))
    seen = {
        "robot0_joint_pos": random.normal(size=(ROWS + 1, 7)), "robot0_joint_vel": random.normal(size=(ROWS + 1, 7)),
        "robot0_eef_pos": random.normal(size=(ROWS + 1, 3)), "robot0_eef_quat": random.normal(size=(ROWS + 1, 4)),
        "robot0_gripper_qpos": random.normal(size=(ROWS + 1, 2)), "agentview_image": pictures(ROWS + 1, seed),
        "agentview_depth": random.uniform(0.2, 2, (ROWS + 1, *SIDES, 1)).astype(np.float32),
    }  # fmt: skip
    for key, values in seen.items():
        demo[f"obs/{key}"], demo[f"next_obs/{key}"] = values[:-1], values[1:]
    return demo


def aloha(path, *, compress=False, rows=ROWS):
    random = np.random.default_rng(3)
    with h5py.File(path, "w") as file:
        file.attrs["sim"] = False
        for name in ("qpos", "qvel", "effort"):
            file[f"observations/{name}"] = random.normal(size=(rows, 14)).astype(np.float32)
        file["action"] = random.normal(size=(rows, 14)).astype(np.float32)
        file["base_action"] = random.normal(size=(rows, 2)).astype(np.float32)
        for number, camera in enumerate(("cam_high", "cam_left_wrist")):
            frames = pictures(rows, number)
            if compress:
                packed = [jpeg(frame) for frame in frames]
                padded = np.zeros((rows, max(map(len, packed)) + 5), np.uint8)
                for row, data in zip(padded, packed, strict=True):
                    row[: len(data)] = data
                frames = padded
            file[f"observations/images/{camera}"] = frames
        if compress:
            file.attrs["compress"] = True
            file["compress_len"] = np.zeros((2, rows))
    return path


def d4rl(path, lengths=(5, 4, 3), *, ended=True):
    rows = sum(lengths)
    ends = np.cumsum(lengths) - 1
    with h5py.File(path, "w") as file:
        file["observations"] = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        file["actions"] = np.arange(rows * 2, dtype=np.float32).reshape(rows, 2)
        file["rewards"] = np.arange(rows, dtype=np.float32)
        file["terminals"] = np.isin(np.arange(rows), ends[:1])
        file["timeouts"] = np.isin(np.arange(rows), ends[1:] if ended else ends[1:-1])
        file["infos/qpos"] = np.zeros((rows, 4), np.float32)
    return path


def minari(path, lengths=(5, 7)):
    with h5py.File(path, "w") as file:
        for index, rows in enumerate(lengths):
            group = file.create_group(f"episode_{index}")
            group.attrs["total_steps"] = rows
            group["observations/arm"] = np.random.default_rng(index).normal(size=(rows + 1, 3))
            group["actions"] = np.random.default_rng(9 + index).normal(size=(rows, 2))
            for name in ("rewards", "terminations", "truncations"):
                group[name] = np.zeros(rows)
    return path
