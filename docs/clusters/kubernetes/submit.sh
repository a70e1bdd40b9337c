#!/usr/bin/env bash
# Runs the four steps one after the other. Run it again after a failure: what is done is not done again.
set -euo pipefail
cd "$(dirname "$0")"
for step in extract resolve analyze complete; do
  kubectl delete job "acapscan-$step" --ignore-not-found
  kubectl apply -f "$step.json"
  kubectl wait --for=condition=complete --timeout="${TIMEOUT:-48h}" "job/acapscan-$step"
done
