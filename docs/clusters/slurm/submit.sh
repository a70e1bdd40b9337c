#!/usr/bin/env bash
# Submits the four steps of a run, each after the one before. Run it in the folder that relative names begin in.
set -euo pipefail
: "${RUN:?a folder that all nodes see, or s3://BUCKET/KEY}"
: "${PATHS:-${ARCHIVES:?a folder of archives that all nodes see; or set PATHS, a list of archives, and BASE}}"
export RUN ARCHIVES="${ARCHIVES:-}" PATHS="${PATHS:-}" BASE="${BASE:-}"
export SHARDS="${SHARDS:-100}" BUCKETS="${BUCKETS:-64}" MIN_COMPLETE="${MIN_COMPLETE:-0.99}"
LOGS="${LOGS:-acapscan-logs}"
steps="$(dirname "$0")"
mkdir -p "$LOGS"

# If a step fails, the steps after it are cancelled, and no longer wait for it.
submit() { sbatch --parsable --kill-on-invalid-dep=yes --output="$LOGS/%x-%j.log" "$@"; }
array() {
  size=$1
  shift
  submit --array="0-$((size - 1))" --output="$LOGS/%x-%A_%a.log" "$@"
}

extract=$(array "$SHARDS" "$steps/extract.sbatch")
resolve=$(submit --dependency="afterok:$extract" "$steps/resolve.sbatch")
analyze=$(array "$BUCKETS" --dependency="afterok:$resolve" "$steps/analyze.sbatch")
complete=$(submit --dependency="afterok:$analyze" "$steps/complete.sbatch")
echo "submitted $extract $resolve $analyze $complete; $RUN/tables/_SUCCESS is there when all is done; logs are in $LOGS"
