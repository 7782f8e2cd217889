# SPDX-License-Identifier: MIT
"""Bills of materials: SPDX 2.3, as JSON."""
import hashlib
import json
import pathlib
import re
import tempfile
import time

import common
import contents
import notices
import portable

LICENCES = {"iir2d-workbench": "MIT AND GPL-3.0-only"}


def identifier(kind, name):
    return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def purl(package):
    facts = contents.facts_of(package)
    return f"pkg:deb/debian/{package}@{facts['version'].replace('+', '%2B').replace(':', '%3A')}?arch={facts['architecture']}"


def package_entry(name, version, licence, checksum=None, reference=None, supplier="NOASSERTION"):
    entry = {"SPDXID": identifier("Package", name), "name": name, "versionInfo": version, "supplier": supplier,
             "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
             "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    if checksum:
        entry["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
    if reference:
        entry["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}]
    return entry


def file_entry(name, path):
    data = pathlib.Path(path).read_bytes()
    return {"SPDXID": identifier("File", name), "fileName": f"./{name}",
            "fileTypes": ["BINARY" if data.startswith((contents.ELF, b"MZ")) else "OTHER"],
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data, usedforsecurity=False).hexdigest()},
                          {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}],
            "licenseConcluded": "NOASSERTION", "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": "NOASSERTION"}


def verification_code(files):
    """SPDX 2.3, 7.9: of all files, whatever their order."""
    sums = sorted(check["checksumValue"] for file in files for check in file["checksums"] if check["algorithm"] == "SHA1")
    return hashlib.sha1("".join(sums).encode(), usedforsecurity=False).hexdigest()


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def of_deb(deb, package, version):
    """The bill of one Debian package: every file in it, what its programs link and what is compiled into them."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        common.run("dpkg-deb", "-x", deb, tree)
        elfs = contents.elf_files(tree)
        files = [file_entry(name, path) for name, path in contents.all_files(tree).items()]
        libraries = contents.linked_libraries(elfs.values(), contents.OURS)
        gpu = any(contents.has_gpu_kernels(path) for path in elfs.values())
    compiled = {name: licence for name, (licence, pattern) in contents.COMPILED_IN.items()
                if any(re.search(pattern, path) for path in elfs)}
    subject = package_entry(deb.name, version["PACKAGE_V_DEB"] + "-1", LICENCES.get(package, "MIT"), common.sha256_of(deb),
                            f"pkg:deb/iir2d/{package}@{version['PACKAGE_V_DEB']}-1?arch=amd64",
                            "Organization: IIR2D Workbench contributors")
    subject |= {"filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)}}
    packages, relations = [subject], [relation("SPDXRef-DOCUMENT", "DESCRIBES", subject["SPDXID"])]
    relations += [relation(subject["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    for name, (path, owner) in libraries.items():
        facts = contents.facts_of(owner)
        packages.append(package_entry(name, facts["version"], contents.licence_of(owner), common.sha256_of(path),
                                      purl(owner), "Organization: Debian"))
        relations.append(relation(subject["SPDXID"], "DYNAMIC_LINK", packages[-1]["SPDXID"]))
    for name, licence in sorted(compiled.items()):
        facts = contents.facts_of(name)
        packages.append(package_entry(name, facts["version"], licence, None, purl(name), "Organization: Debian"))
        relations.append(relation(subject["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    if gpu:
        packages.append(package_entry("libdevice", "NOASSERTION", contents.CUDA_LICENCE, None, None, "Organization: NVIDIA"))
        relations.append(relation(subject["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    return document(deb.name, packages, files, relations, version)


def of_portable(file, origin, slim, version):
    """The bill of AppImage or portable tree: every file in it, and for each that is not ours what it is of."""
    with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
        tree = portable.unpack(file, pathlib.Path(scratch))
        elfs = contents.elf_files(tree)
        held = contents.all_files(tree)
        files = [file_entry(name, path) for name, path in held.items()]
        gpu = any(contents.has_gpu_kernels(path) for path in elfs.values())
    subject = package_entry(file.name, version["PACKAGE_V"], LICENCES["iir2d-workbench"], common.sha256_of(file),
                            f"pkg:generic/iir2d-workbench@{version['PACKAGE_V']}", "Organization: IIR2D Workbench contributors")
    subject |= {"filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)}}
    packages, relations = [subject], [relation("SPDXRef-DOCUMENT", "DESCRIBES", subject["SPDXID"])]
    relations += [relation(subject["SPDXID"], "CONTAINS", one["SPDXID"]) for one in files]
    by_name = {one["fileName"]: one for one in files}

    def add(entry, kind):
        if entry["SPDXID"] not in {one["SPDXID"] for one in packages}:
            packages.append(entry)
            relations.append(relation(subject["SPDXID"], kind, entry["SPDXID"]))

    for place, one in origin.items():
        entry = by_name[f"./{place}"]
        if "package" in one:
            owner = debian_entry(one["package"])
        else:
            owner = package_entry("openimageio", contents.OPENIMAGEIO, "Apache-2.0 AND BSD-3-Clause", None,
                                  f"pkg:pypi/openimageio@{contents.OPENIMAGEIO}", "Organization: OpenImageIO contributors")
        add(owner, "CONTAINS")
        relations.append(relation(owner["SPDXID"], "GENERATES", entry["SPDXID"]))
    for name, (number, licence, _) in notices.openimageio_parts(slim).items():
        add(package_entry(f"openimageio-{name}", number or "NOASSERTION", licence), "STATIC_LINK")
    for name in (*sorted(contents.COMPILED_IN), *(contents.IN_RUNTIME if file.name.endswith(".AppImage") else ("libc6-dev",))):
        add(debian_entry(name), "STATIC_LINK")
    if gpu:
        add(package_entry("libdevice", "NOASSERTION", contents.CUDA_LICENCE, None, None, "Organization: NVIDIA"), "STATIC_LINK")
    return document(file.name, packages, files, relations, version)


def of_windows(package, held, linked, runtime, version):
    """The bill of zip or installer: every file that it holds, what is linked into the programs, and of what the compiler's DLLs are."""
    files = [file_entry(name, path) for name, path in held.items()]
    subject = package_entry(package.name, version["PACKAGE_V"], "MIT", common.sha256_of(package),
                            f"pkg:generic/iir2d-tools@{version['PACKAGE_V']}", "Organization: IIR2D Workbench contributors")
    subject |= {"filesAnalyzed": True, "packageVerificationCode": {"packageVerificationCodeValue": verification_code(files)}}
    packages, relations = [subject], [relation("SPDXRef-DOCUMENT", "DESCRIBES", subject["SPDXID"])]
    relations += [relation(subject["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    for name, number, licence, source, digest in linked:
        packages.append(package_entry(name, number, licence, digest, f"pkg:deb/debian/{source}", "Organization: Debian"))
        relations.append(relation(subject["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    by_name = {file["fileName"]: file["SPDXID"] for file in files}
    for name, (owner, licence) in runtime.items():
        entry = package_entry(owner, contents.facts_of(owner)["version"], licence, None, purl(owner), "Organization: Debian")
        if entry["SPDXID"] not in {one["SPDXID"] for one in packages}:
            packages.append(entry)
            relations.append(relation(subject["SPDXID"], "CONTAINS", entry["SPDXID"]))
        relations.append(relation(entry["SPDXID"], "GENERATES", by_name[f"./{name}"]))
    if any(contents.has_gpu_kernels(path) for name, path in held.items() if name.endswith(".dll")):
        packages.append(package_entry("libdevice", "NOASSERTION", contents.CUDA_LICENCE, None, None, "Organization: NVIDIA"))
        relations.append(relation(subject["SPDXID"], "STATIC_LINK", packages[-1]["SPDXID"]))
    return document(package.name, packages, files, relations, version)


def debian_entry(package):
    licence = contents.COMPILED_IN[package][0] if package in contents.COMPILED_IN else contents.licence_of(package)
    return package_entry(package, contents.facts_of(package)["version"], licence, None, purl(package), "Organization: Debian")


def of_source(archive, version):
    subject = package_entry(archive.name, version["PACKAGE_V"], "MIT", common.sha256_of(archive), None,
                            "Organization: IIR2D Workbench contributors")
    return document(archive.name, [subject], [], [relation("SPDXRef-DOCUMENT", "DESCRIBES", subject["SPDXID"])], version)


def document(name, packages, files, relations, version):
    """The same contents give the same bytes: the name space is of their hashes, the time the commit's."""
    of_all = "".join(check["checksumValue"] for entry in (*packages, *files) for check in entry.get("checksums", []))
    made = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://iir2d.org/spdx/{name}-{hashlib.sha256(of_all.encode()).hexdigest()[:32]}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(version["PACKAGE_EPOCH"]))),
                             "creators": [f"Tool: iir2d-make_release-{version['PACKAGE_V']}"]},
            "packages": packages, "files": files, "relationships": relations}
    if not files:
        del made["files"]
    words = {contents.CUDA_LICENCE: contents.CUDA_WORDS, contents.PUBLIC_DOMAIN: contents.PUBLIC_DOMAIN_WORDS}
    used = {entry["licenseDeclared"] for entry in packages}
    if used & set(words):
        made["hasExtractedLicensingInfos"] = [{"licenseId": name, "extractedText": words[name]} for name in sorted(used & set(words))]
    return json.dumps(made, indent=1, sort_keys=True) + "\n"
