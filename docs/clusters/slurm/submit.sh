#!/usr/bin/env bash
# Submits the four steps of a run, each after the one before.
set -euo pipefail
cd "$(dirname "$0")"
: "${ARCHIVES:?a folder of archives that all nodes see}" "${RUN:?a folder that all nodes see}"
export ARCHIVES RUN SHARDS="${SHARDS:-100}" BUCKETS="${BUCKETS:-64}"

extract=$(sbatch --parsable --array="0-$((SHARDS - 1))" extract.sbatch)
resolve=$(sbatch --parsable --dependency="afterok:$extract" resolve.sbatch)
analyze=$(sbatch --parsable --dependency="afterok:$resolve" --array="0-$((BUCKETS - 1))" analyze.sbatch)
complete=$(sbatch --parsable --dependency="afterok:$analyze" complete.sbatch)
echo "submitted $extract $resolve $analyze $complete; $RUN/tables/_SUCCESS is there when all is done"
