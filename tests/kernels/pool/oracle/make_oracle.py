#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes oracle.csv: what PyTorch makes of a matrix of pooling descriptors, forward and backward, in double.

usage: make_oracle.py > oracle.csv      (Debian: python3-torch)

Each line has a descriptor, how its images are made, the output's size, and projections of the output, of the
argmax and of the gradient: sums of all elements times weights that both this and pool_oracle_test.cpp make. An
output size of 0 x 0 is a descriptor that PyTorch refuses. Lines of the op "lp-torch" hold what PyTorch's
LPPool2d gives where the contract differs from it on purpose.
"""
import itertools
import random
import sys

import torch
import torch.nn.functional as F


def samples(count, kind):
    """kind 0: a continuum around 0; 1: few values, with ties; 2: positive."""
    out = []
    for i in range(count):
        u = (i * 2654435761 + 12345) % 2**32 >> 16
        out.append({0: (u % 4001 - 2000) / 256, 1: float(u % 5 - 2), 2: (u % 4001 + 1) / 1024}[kind])
    return torch.tensor(out, dtype=torch.float64)


def upstream(count):
    return torch.tensor([((i * 48271 + 11) % 2001 - 1000) / 128 for i in range(count)], dtype=torch.float64)


def project(values):
    total = 0.0
    for i, value in enumerate(values.reshape(-1).tolist()):
        total += value * (0.5 + (i * 40503 + 12345) % 65536 / 65536)
    return total


class Descriptor:
    def __init__(self, op, shape, **fields):
        self.op = op
        self.shape = shape
        self.window = fields.get("window", (1, 1))
        self.stride = fields.get("stride", (1, 1))
        self.padding = fields.get("padding", (0, 0))
        self.dilation = fields.get("dilation", (1, 1))
        self.ceil = fields.get("ceil", False)
        self.p = fields.get("p", 2.0)
        self.include_pad = fields.get("include_pad", False)
        self.divisor = fields.get("divisor", 0)
        self.output = fields.get("output", (1, 1))
        self.kind = fields.get("kind", 0)

    def pool(self, x):
        """The output, and the argmax or None."""
        if self.op == "max":
            return F.max_pool2d(x, self.window, self.stride, self.padding, self.dilation, self.ceil, True)
        if self.op == "avg":
            return F.avg_pool2d(x, self.window, self.stride, self.padding, self.ceil, self.include_pad,
                                self.divisor or None), None
        if self.op in ("lp", "lp-torch"):
            return F.lp_pool2d(x, self.p, self.window, self.stride, self.ceil), None
        if self.op == "adaptive-max":
            return F.adaptive_max_pool2d(x, self.output, True)
        return F.adaptive_avg_pool2d(x, self.output), None

    def line(self):
        n, c, h, w = self.shape
        x = samples(n * c * h * w, self.kind).reshape(self.shape).requires_grad_(True)
        try:
            y, argmax = self.pool(x)
        except RuntimeError:
            return self.text((0, 0), 0.0, 0, 0.0)
        if torch.isinf(y).any():
            return None  # a window that dilation takes past all of the input: PyTorch has no index for it
        y.backward(upstream(y.numel()).reshape(y.shape))
        places = project(argmax.to(torch.float64)) if argmax is not None else 0
        return self.text(tuple(y.shape[2:]), project(y.detach()), places, project(x.grad))

    def text(self, size, y, places, dx):
        return ",".join(str(v) for v in [
            self.op, *self.shape, *self.window, *self.stride, *self.padding, *self.dilation, int(self.ceil),
            repr(self.p), int(self.include_pad), self.divisor, *self.output, self.kind, *size, repr(y), repr(places),
            repr(dx)])


def descriptors():
    draw = random.Random(20240229)
    # Every way that a length, a window, a stride, a padding and a dilation meet along one axis, the other at
    # random.
    axes = [(n, k, s, p, d) for n, k, s, d in itertools.product(range(1, 9), range(1, 5), range(1, 5), (1, 2))
            for p in range(k // 2 + 1)]
    for ceil in (False, True):
        for op in ("max", "avg"):
            for axis in axes:
                if op == "avg" and axis[4] != 1:
                    continue
                if op == "max" and draw.random() < 0.1:
                    continue
                other = draw.choice(axes)
                h, w = (axis, other) if draw.random() < 0.5 else (other, axis)
                dilation = (h[4], w[4]) if op == "max" else (1, 1)
                yield Descriptor(op, (draw.randint(1, 2), draw.randint(1, 2), h[0], w[0]), window=(h[1], w[1]),
                                 stride=(h[2], w[2]), padding=(h[3], w[3]), dilation=dilation, ceil=ceil,
                                 include_pad=draw.random() < 0.5,
                                 divisor=draw.choice([0, 0, 0, 3, -7]) if op == "avg" else 0, kind=draw.randint(0, 1))
    for op in ("adaptive-max", "adaptive-avg"):
        for h, oh in itertools.product(range(1, 10), range(1, 10)):
            yield Descriptor(op, (1, draw.randint(1, 2), h, draw.randint(1, 11)),
                             output=(oh, draw.randint(1, 11)), kind=draw.randint(0, 1))
    for h, k, s in itertools.product(range(1, 10), range(1, 5), range(1, 4)):
        for p in (1.0, 2.0, 3.0, 0.5):
            yield Descriptor("lp", (1, 1, h, draw.randint(4, 9)), window=(k, draw.randint(1, 4)),
                             stride=(s, draw.randint(1, 4)), p=p, kind=2)
    # Where the contract differs on purpose: truncated windows, and odd powers of what is negative.
    for h in range(3, 9):
        yield Descriptor("lp-torch", (1, 1, h, h), window=(2, 3), stride=(2, 2), ceil=True, p=2.0, kind=2)
    yield Descriptor("lp-torch", (1, 1, 6, 6), window=(2, 2), stride=(2, 2), p=3.0, kind=0)


def main():
    print("op,n,c,h,w,window_h,window_w,stride_h,stride_w,padding_h,padding_w,dilation_h,dilation_w,ceil,p,"
          "include_pad,divisor,output_h,output_w,kind,out_h,out_w,y,argmax,dx")
    count = 0
    for descriptor in descriptors():
        line = descriptor.line()
        if line is not None:
            print(line)
            count += 1
    print(f"{count} descriptors, PyTorch {torch.__version__}", file=sys.stderr)


if __name__ == "__main__":
    main()
