# SPDX-License-Identifier: MIT
# Builds the Python package with its kernels on Windows, installs it into a fresh environment and runs its smoke test.
# Needs CMake, Ninja and Visual Studio 2022 (a developer's prompt), and Python 3.11 or later.
#
# usage: scripts/build_and_smoke.ps1 [-SkipGpuSmoke] [-Python python]
param(
    [switch]$SkipGpuSmoke,
    [string]$Python = "python"
)
Set-StrictMode -Version Latest
$ErrorActionPreference = "Stop"

# Runs a program and ends the script with its exit code where that is not 0.
function Invoke-Checked {
    param([string]$Program, [string[]]$Arguments)
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) {
        Write-Error "$Program $($Arguments -join ' ') ended with $LASTEXITCODE" -ErrorAction Continue
        exit $LASTEXITCODE
    }
}

$root = Split-Path -Parent $PSScriptRoot
$folder = Join-Path ([System.IO.Path]::GetTempPath()) ("iir2d-" + [System.Guid]::NewGuid())
$gpu = if ($SkipGpuSmoke) { "skip" } else { "require" }
try {
    Invoke-Checked $Python @("-m", "venv", $folder)
    $venvPython = Join-Path $folder "Scripts\python.exe"
    # Nobody has compiled jaxlib's headers with Visual C++ for this package: iir2d.jax is left out.
    Invoke-Checked $venvPython @("-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--config-settings=cmake.define.IIR2D_PYTHON_JAX=OFF", $root)
    # On a GPU the smoke test needs a library that makes arrays there.
    if (-not $SkipGpuSmoke) {
        Invoke-Checked $venvPython @("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "cupy-cuda13x")
    }
    Push-Location $folder
    try {
        Invoke-Checked $venvPython @("-m", "iir2d.smoke", "--gpu", $gpu)
    } finally {
        Pop-Location
    }
} finally {
    Remove-Item -Recurse -Force -ErrorAction SilentlyContinue $folder
}
