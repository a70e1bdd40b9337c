#!/usr/bin/env bash
# Submits the four steps of a run, each depending on the one before.
set -euo pipefail
cd "$(dirname "$0")"
: "${QUEUE:?a job queue}" "${PATHS:?a list of archives}" "${BASE:?where their paths begin}"
: "${RUN:?a folder of S3 for facts, answers and tables}"
SHARDS="${SHARDS:-100}" BUCKETS="${BUCKETS:-64}" MIN_COMPLETE="${MIN_COMPLETE:-0.99}"
environment="environment=[{name=PATHS,value=$PATHS},{name=BASE,value=$BASE},{name=RUN,value=$RUN}"
environment+=",{name=SHARDS,value=$SHARDS},{name=BUCKETS,value=$BUCKETS},{name=MIN_COMPLETE,value=$MIN_COMPLETE}"

# submit STEP [OPTION…]: the id of the job. What a step does is the variable STEP of its container.
submit() {
  step=$1
  shift
  aws batch submit-job --job-name "acapscan-$step" --job-queue "$QUEUE" --job-definition acapscan \
    --query jobId --output text --container-overrides "$environment,{name=STEP,value=$step}]" "$@"
}
# An array has two tasks at least: one alone is an ordinary job, whose index the definition takes for 0.
tasks() { test "$1" -lt 2 || printf -- '--array-properties size=%d' "$1"; }

extract=$(submit extract $(tasks "$SHARDS"))
resolve=$(submit resolve --depends-on "jobId=$extract")
analyze=$(submit analyze --depends-on "jobId=$resolve" $(tasks "$BUCKETS"))
complete=$(submit complete --depends-on "jobId=$analyze")
echo "submitted $extract $resolve $analyze $complete; $RUN/tables/_SUCCESS is there when all is done"
