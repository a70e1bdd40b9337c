#!/usr/bin/env bash
# Runs the four steps one after the other. Run it again after a failure: what is done is not done again.
set -euo pipefail
cd "$(dirname "$0")"
for step in extract resolve analyze complete; do
  kubectl delete job "acapscan-$step" --ignore-not-found
  kubectl apply -f "$step.json"
  until kubectl wait --for=condition=complete --timeout=1m "job/acapscan-$step"; do
    if kubectl wait --for=condition=failed --timeout=0 "job/acapscan-$step"; then
      echo "$step has failed: see kubectl logs job/acapscan-$step" >&2
      exit 1
    fi
  done
done
