#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the corpus anew: small valid files of every kind of image that is read.

usage: make_corpus.py SAMPLES FOLDER     (SAMPLES: resources/samples; needs oiiotool of OpenImageIO 2.4)

What OpenImageIO writes, it writes; the rest is put together here by the formats' specifications.
"""

import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

WIDTH, HEIGHT = 8, 4


def ramp(count):
    return bytes(i * 7 % 251 for i in range(count))


def png(colour_type, depth, interlaced, row_bytes, extra=b""):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    if interlaced:  # 8 x 4 in Adam7: the sizes of its passes
        passes = [(1, 1), (1, 1), (2, 1), (4, 1), (4, 2), (8, 2)]  # the third has no rows
        samples = row_bytes // WIDTH
        rows = b"".join((b"\0" + ramp(width * samples)) * height for width, height in passes)
    else:
        rows = b"".join(bytes([row % 5]) + ramp(row_bytes) for row in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, depth, colour_type, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra_chunks(chunk, extra) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def extra_chunks(chunk, names):
    made = {"palette": chunk(b"PLTE", ramp(48)), "transparency": chunk(b"tRNS", ramp(16)),
            "text": chunk(b"tEXt", b"Title\0a picture") + chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1)) +
            chunk(b"gAMA", struct.pack(">I", 45455))}
    return b"".join(made[name] for name in names)


def psd(layers=b""):
    def resource(number, data):
        return b"8BIM" + struct.pack(">HHI", number, 0, len(data)) + data
    resolution = struct.pack(">IHHIHH", 72 << 16, 1, 1, 72 << 16, 1, 1)
    resources = resource(0x0421, bytes(18)) + resource(0x040F, bytes(20)) + resource(0x03ED, resolution)
    head = b"8BPS" + struct.pack(">H6xHIIHH", 1, 3, HEIGHT, WIDTH, 8, 3)
    return (head + struct.pack(">II", 0, len(resources)) + resources + struct.pack(">I", len(layers)) + layers +
            struct.pack(">H", 0) + ramp(WIDTH * HEIGHT * 3))


def psd_with_layer():
    channels = b"".join(struct.pack(">hI", number, 2 + WIDTH * HEIGHT) for number in range(3))
    names = struct.pack(">I", 0) + struct.pack(">I", 0) + b"\x03one"
    record = (struct.pack(">IIIIH", 0, 0, HEIGHT, WIDTH, 3) + channels + b"8BIMnorm" +
              struct.pack(">BBBBI", 255, 0, 0, 0, len(names)) + names)
    pixels = (struct.pack(">H", 0) + ramp(WIDTH * HEIGHT)) * 3
    info = struct.pack(">H", 1) + record + pixels
    info += bytes(len(info) % 2)
    return psd(struct.pack(">I", len(info)) + info + struct.pack(">I", 0))


def cineon():
    head = struct.pack(">IIIIII8s", 0x802A5FD7, 2048, 1024, 1024, 0, 2048 + WIDTH * HEIGHT * 4, b"V4.5")
    image = struct.pack(">BBH", 0, 3, 0)
    for channel in (1, 2, 3):
        image += struct.pack(">BBBBIIIIII", 0, channel, 10, 0, WIDTH, HEIGHT, 0, 0, 0x447FC000, 0x40000000)
    body = (head.ljust(192, b"\0") + image).ljust(680, b"\0") + bytes([0, 5, 0, 0])
    return body.ljust(2048, b"\0") + ramp(WIDTH * HEIGHT * 4)


def dds(fourcc, data):
    flags = 0x81007 if fourcc else 0x100F
    pixel_format = (struct.pack("<II4sIIIII", 32, 4, fourcc, 0, 0, 0, 0, 0) if fourcc else
                    struct.pack("<IIIIIIII", 32, 0x41, 0, 32, 0xFF0000, 0xFF00, 0xFF, 0xFF000000))
    return (b"DDS " + struct.pack("<IIIIIII", 124, flags, HEIGHT, WIDTH, len(data), 0, 0) + bytes(44) + pixel_format +
            struct.pack("<IIIII", 0x1000, 0, 0, 0, 0) + data)


def softimage():
    head = struct.pack(">If", 0x5380F634, 3.71) + b"a picture".ljust(80, b"\0")
    head += b"PICT" + struct.pack(">HHfHH", WIDTH, HEIGHT, 1.0, 3, 0)
    head += bytes([0, 8, 0, 0xE0])  # one packet: red, green and blue, not compressed
    return head + ramp(WIDTH * HEIGHT * 3)


def sgi_rle():
    head = struct.pack(">HBBHHHHII", 0x01DA, 1, 1, 3, WIDTH, HEIGHT, 3, 0, 255).ljust(512, b"\0")
    row = bytes([0x80 | WIDTH]) + ramp(WIDTH) + b"\0"
    rows = HEIGHT * 3
    start = 512 + rows * 8
    starts = b"".join(struct.pack(">I", start + i * len(row)) for i in range(rows))
    return head + starts + struct.pack(">I", len(row)) * rows + row * rows


def bmp(compression, data, bits=8):
    palette = ramp(4 << bits)
    offset = 54 + len(palette)
    return (b"BM" + struct.pack("<IHHI", offset + len(data), 0, 0, offset) +
            struct.pack("<IiiHHIIiiII", 40, WIDTH, HEIGHT, 1, bits, compression, len(data), 2835, 2835, 1 << bits, 0) +
            palette + data)


BY_HAND = {
    "interlaced.png": lambda: png(2, 8, 1, WIDTH * 3),
    "palette.png": lambda: png(3, 4, 0, WIDTH // 2, ["palette", "transparency"]),
    "bits.png": lambda: png(0, 1, 0, 1, ["text"]),
    "flat.psd": psd,
    "layer.psd": psd_with_layer,
    "ten.cin": cineon,
    "dxt1.dds": lambda: dds(b"DXT1", ramp(WIDTH * HEIGHT // 2)),
    "dxt5.dds": lambda: dds(b"DXT5", ramp(WIDTH * HEIGHT)),
    "plain.dds": lambda: dds(b"", ramp(WIDTH * HEIGHT * 4)),
    "rgb.pic": softimage,
    "rle.sgi": sgi_rle,
    "palette.bmp": lambda: bmp(0, ramp(WIDTH * HEIGHT)),
    "rle8.bmp": lambda: bmp(1, b"\0\0".join([bytes([WIDTH, 5])] * HEIGHT) + b"\0\1"),
    "four.bmp": lambda: bmp(0, ramp(WIDTH * HEIGHT // 2), 4),
    "bits.pbm": lambda: b"P4\n8 4\n" + ramp(HEIGHT),
    "float.pfm": lambda: b"PF\n8 4\n-1.0\n" + struct.pack("<96f", *(i / 96 for i in range(96))),
    "sixteen.pgm": lambda: b"P5\n# a picture\n8 4\n65535\n" + ramp(WIDTH * HEIGHT * 2),
}

# Name: arguments of oiiotool, after the input; the inputs are made first.
INPUTS = {
    "rgb": ["{samples}/rocket.jpg", "--resize", "24x16"],  # has a colour profile
    "wide": ["{samples}/rocket.jpg", "--resize", "96x64"],
    "rgba": ["{samples}/astronaut.png", "--resize", "24x16", "--ch", "R,G,B,A=0.5", "-d", "uint8"],
    "gray16": ["{samples}/chelsea-gray16.png", "--resize", "24x16", "-d", "uint16"],
    "light": ["{samples}/rocket-light.exr", "--resize", "24x16"],
}
BY_TOOL = {
    "icc.jpg": ["{rgb}"],
    "exif.jpg": ["{rgb}", "--attrib:type=string", "Make", "Camera", "--attrib:type=int", "Orientation", "6",
                 "--attrib:type=float", "ExposureTime", "0.01", "--keyword", "a"],
    "icc.png": ["{rgb}"],
    "rgba.png": ["{rgba}", "--resize", "12x8"],
    "gray16.png": ["{gray16}"],
    "lzw.tif": ["{rgb}", "--compression", "lzw"],
    "tiles.tif": ["{rgba}", "--tile", "16", "16", "--compression", "zip"],
    "float.tif": ["{light}", "-d", "float", "--compression", "none"],
    "pages.tif": ["{gray16}", "{gray16}", "--siappend"],
    "jpeg.tif": ["{rgb}", "--compression", "jpeg"],
    "zip.exr": ["{light}", "-d", "half", "--compression", "zip"],
    "tiles-piz.exr": ["{light}", "-d", "half", "--tile", "16", "16", "--compression", "piz"],
    "dwaa.exr": ["{light}", "--compression", "dwaa"],
    "pxr24.exr": ["{light}", "--compression", "pxr24"],
    "b44.exr": ["{light}", "--compression", "b44", "-d", "half"],
    "parts.exr": ["{light}", "{light}", "--siappend", "-d", "half"],
    "rgbe.hdr": ["{light}"],
    "lossy.webp": ["{rgb}"],
    "lossless.webp": ["{rgba}", "--compression", "lossless:100"],
    "rgb.bmp": ["{rgb}"],
    "rgba.bmp": ["{rgba}"],
    "rgb.tga": ["{rgb}"],
    "rle.tga": ["{rgba}", "--compression", "rle"],
    "rgb.ppm": ["{rgb}"],
    "ascii.ppm": ["{rgb}", "--attrib:type=int", "pnm:binary", "0"],
    "ten.dpx": ["{rgb}", "--resize", "12x8", "-d", "uint10"],
    "eight.dpx": ["{rgba}", "--resize", "12x8", "-d", "uint8"],
    "rgba.ico": ["{rgba}"],
    "rgb.iff": ["{rgb}"],
    "rle.iff": ["{rgba}", "--compression", "rle"],
    "rgb.sgi": ["{rgb}"],
    "one.gif": ["{rgb}"],
    "two.gif": ["{rgb}", "{rgba}", "--ch", "R,G,B", "--siappend"],
    "rgb.jp2": ["{wide}"],
    "gray.fits": ["{rgb}", "--ch", "R"],
    "rgba.rla": ["{rgba}"],
    "rgb.heic": ["{rgb}"],
}


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    samples, folder = arguments[0], Path(arguments[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in BY_HAND.items():
        (folder / name).write_bytes(make())
    with tempfile.TemporaryDirectory() as scratch:
        places = {"samples": samples} | {name: f"{scratch}/{name}.{'exr' if name == 'light' else 'tif'}"
                                         for name in INPUTS}
        recipes = [(places[name], words) for name, words in INPUTS.items()]
        recipes += [(str(folder / name), words) for name, words in BY_TOOL.items()]
        for output, words in recipes:
            subprocess.run(["oiiotool", *(word.format(**places) for word in words), "-o", output], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
