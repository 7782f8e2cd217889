# SPDX-License-Identifier: MIT
"""Lowers exported kernels to StableHLO and runs them: a line of JSON for each in, one for each out.

usage: lower_jax.py REQUESTS ANSWERS

A request has the file of the kernel's source, which lies beside the requests, its name, n, m, and sets of arguments in
the order of its parameters; an answer what it was lowered to and what came out, or an error. The file of answers is
made once anything can be lowered, and has each answer before the next request is looked at. Exit status 4: there is no
JAX here.
"""

import json
import os
import runpy
import sys

os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import numpy as np
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(4)

DTYPES = {
    "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "f32": np.float32, "f64": np.float64,
    "float2": np.float32, "float3": np.float32, "float4": np.float32,
    "mat2": np.float32, "mat3": np.float32, "mat4": np.float32,
}


def array_of(argument):
    flat = np.frombuffer(bytes.fromhex(argument["hex"]), DTYPES[argument["type"]])
    return flat.reshape(argument["shape"])


def answer_to(request, folder):
    kernel = runpy.run_path(os.path.join(folder, request["file"]))[request["name"]]
    compiled = jax.jit(kernel, static_argnames=("n", "m"))
    extents = {"n": request["n"], "m": request["m"]}
    lowered = None
    sets = []
    for arguments in request["sets"]:
        arrays = [array_of(argument) for argument in arguments]
        if lowered is None:
            lowered = compiled.lower(*arrays, **extents)
        made = compiled(*arrays, **extents)
        made = made if isinstance(made, tuple) else (made,)
        sets.append([np.asarray(one).tobytes().hex() for one in made])
    return {"stablehlo": lowered.as_text(dialect="stablehlo"), "sets": sets}


def main():
    requests, answers = sys.argv[1:]
    with open(requests, encoding="utf-8") as lines, open(answers, "w", encoding="utf-8") as out:
        for line in lines:
            try:
                made = answer_to(json.loads(line), os.path.dirname(requests))
            except Exception as error:  # whatever JAX raises is the answer
                made = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            out.write(json.dumps(made) + "\n")
            out.flush()  # a kernel that ends this process leaves those before it


main()
