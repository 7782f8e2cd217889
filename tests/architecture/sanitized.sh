#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the tests that CI runs under sanitizers, and runs them (docs/checks.md says which and why).
# usage: tests/architecture/sanitized.sh ci-asan|ci-tsan [JOBS]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

preset=${1:?usage: sanitized.sh ci-asan|ci-tsan [JOBS]}
jobs=${2:-$(nproc)}
build=build/$preset
case $preset in
    ci-asan) targets=(iir_test kernels_pool_test kernels_support_test kernels_tune_test device_test core_batch_test
                      core_duel_test core_evidence_test core_files_test core_record_test core_release_test
                      core_support_test core_tune_test gpu_iir_test ptx_test recipe_test solve_test synth_test) ;;
    ci-tsan) targets=(core_benchmark_test core_support_test core_worker_test preview_test) ;;
    *) printf 'sanitized: error: there is no set of tests for %s\n' "$preset" >&2; exit 2 ;;
esac

mkdir -p "$build"
{ cmake --preset "$preset" && cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"; } \
    > "$build/build.log" 2>&1 || { tail -n 40 "$build/build.log" >&2; exit 1; }
echo "sanitized: built in $SECONDS s"

# The first report ends the test; leaks count too.
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
# Images are read in the tests themselves: a worker's limits count the sanitizer's memory, its filter denies what it calls.
export IIR2D_IMAGES_IN_PROCESS=1

# run FOLDER CTEST_ARGUMENT...: runs those of the tests in FOLDER.
run() {
    local folder=$1 log=$build/tests.log
    shift
    ctest --test-dir "$build/tests/$folder" "$@" --output-on-failure --no-tests=error --parallel "$jobs" \
        > "$log" 2>&1 || { cat "$log" >&2; exit 1; }
    echo "sanitized: $folder: $(grep -E '^[0-9]+% tests passed' "$log") in $SECONDS s from the start"
}
case $preset in
    # The C interface of filters and pooling: values, views, gradients and what they refuse. Without those of polling,
    # whose images are large, and of numbers of threads, of which there is one without oneTBB. What is not built is no test.
    ci-asan)
        run kernels -R "^(FilterC|PoolC|PoolErrors|PoolBackward|PoolShape)" -E "Poll|EveryNumberOfThreads|_NOT_BUILT"
        # A plane of two million samples by every config takes minutes, and so does what measures until it has learned. There are no
        # instruction sets without Highway.
        for folder in device support tune; do
            run "kernels/$folder" -E "^ConfigBits.LargeAnd|^Tune.*(Learns|IsLearned|Forgets)|^tune\.on_|_NOT_BUILT"
        done
        # Faults planted in the GPU kernels, which the executor or the comparison must catch.
        # CTest knows the program's tests in parts alone.
        log=$build/tests.log
        "$build/bin/gpu_iir_test" --gtest_filter='GpuFault*' > "$log" 2>&1 && grep -q '^\[  PASSED  \] [1-9]' "$log" || { cat "$log" >&2; exit 1; }
        echo "sanitized: GpuFault: $(grep -E '^\[  PASSED  \]' "$log") in $SECONDS s from the start"
        # What takes half a second and more in a release build takes five to ten there. Others run the same code.
        long=(
            DuelJudge.MakesHardlyAFalseVerdictOnALoadedMachine StrictJson.ReadsManyChildrenInTheTimeOfTheirText
            RecipeScaled.AProxyLooksLikeTheResult RecipeScaled.AProxyOfPoolingShowsTheWholeImageAsBrightAsTheResult
            Consistency.DoesNotWriteOutWhatAHostileMatrixAsksFor HostileRecord.FilesAreJudgedByTheirSizeBeforeTheyAreRead
            HostileRecord.KeysAndValuesReachNoTerminal Schema.AgreesWithAGeneralValidator
            VerifyTest.FindsAnyChangedCharacterOfALoneJson VerifyTest.KnowsTheCasesOfItsMatrix VerifyTest.RefusesHostileJson
            DuelEvidence.CountsWhereItWasAttachedLastAndIsOfTheMeasuredLibrary
            DuelEvidence.IsRefusedWhereItIsSlowerUnsignedOrOfAnotherCommit ExportTest.GivesWhatVerifiesWhereItIsUnpacked
            ForgingTest.OfAPromotionAtAnotherTime ReleaseTest.JudgesEvidenceByWhatItSays
            ReleaseTest.KeepsAClockThatWasSetBackFromRevivingAWaiver ReleaseTest.NeedsLessForACandidate
            ReleaseTest.RefusesARegressionUnlessWaived ReleaseTest.TakesTheSignatureOfWhoHoldsTheRoleOnWhatTheySaw
            ReleaseTest.WaivesAP1ForACandidateOnly StoreTest.FindsWhatIsMissingAddedOrCutOff
            StoreTest.IsPutRightAfterAKillInAPromotion StoreTest.NamesTheFileOfAnyAlteredByte
            TestReport.DoesNotCountWhatTestsPrint TestReport.RefusesMoreTagsAndAttributesThanOneCanHold
            Duel.FailsACrashAHangAndARefusalByNameAndGoesOn Duel.IsRefusedForALibraryThatCrashesOrHangsWhileItIsOpened
            Duel.FindsAHalfMoreWorkSlower Duel.PoolsForwardAndBackward DuelSchema.AgreesWithAGeneralValidator
            Limits.MemoryOfALaunchHasAnEnd Opcodes.GiveWhatIsExpectedOfThem
            Compiled DataSet.IsTheSame Language.AnyDrawnTreeIsReadBackFromItsSource VerifyDataSet.FindsNothingInWhatWasMade
            VerifyDataSet.HostileLinesAreErrorsInBoundedMemory VerifyDataSet.NamesEach
            All/Engines.GiveTheCompiledKernelsBits Poisson1d.MistakesInItsKernelsAreSeenInTheRate
            Poisson2d.ConvergesWithTheOrderOfItsElements Poisson2d.MultigridTakesAsManyCyclesForAnySize
            Poisson2d.ThreadsDoNotChangeABit)
        names=$(IFS='|'; echo "${long[*]}")
        run core -E "^(${names//./\\.})|^core_image_|^compile_test|^ptx\.|_NOT_BUILT" ;;
    ci-tsan) run core -L "^threads$" ;;
esac
