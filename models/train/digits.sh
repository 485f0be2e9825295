#!/usr/bin/env bash
# Trains the model of the studio's digit game from MNIST and from synthetic writers, whose strokes go the way
# that a finger's go. The settings were chosen on the validation parts; the test parts are looked at here, at
# the end. `scripts/train digits [FOLDER]` runs this.
set -euo pipefail

mnist=${1:-$INKSTATE_DATA/mnist}
inkstate=$INKSTATE
work=runs/digits
rm -rf "$work"
mkdir -p "$work"

# LeNet's convolutions with a dense layer of 128 instead of 1024: an eighth of the weights.
cat >"$work/network.json" <<'JSON'
{"name": "lenet-128", "inputSize": 28, "layers": [
  {"kind": "convolution", "filters": 32, "kernel": 5, "padding": "same"}, {"kind": "relu"},
  {"kind": "maxPooling", "size": 2},
  {"kind": "convolution", "filters": 64, "kernel": 5, "padding": "same"}, {"kind": "relu"},
  {"kind": "maxPooling", "size": 2},
  {"kind": "flatten"},
  {"kind": "dense", "units": 128}, {"kind": "relu"}, {"kind": "dropout", "rate": 0.5},
  {"kind": "dense", "units": 10}]}
JSON
# As `upright`, with the pens and frames that MNIST's digits have.
cat >"$work/augmentation.json" <<'JSON'
{"rotation": 0.2, "stretch": 0.15, "shear": 0.15, "warp": 0.04, "tremor": 0.006, "trim": 0.03,
 "overshoot": 0.03, "spacing": 0.12, "penWidths": [1.6, 3.4], "margins": [2.5, 5.0],
 "smallest": 0.88, "shift": 2}
JSON

"$inkstate" dataset synthesize --repertoire digits --writers 120 --per-class 15 --seed 1 \
  --output "$work/learnt.ndjson"
"$inkstate" dataset synthesize --repertoire digits --writers 40 --per-class 5 --seed 2 \
  --output "$work/test.ndjson"
"$inkstate" train "$mnist" "$work/learnt.ndjson" --validation-share 0.1667 \
  --architecture "$work/network.json" --augment "$work/augmentation.json" --margin 4 --pen-width 2.5 \
  --epochs "${EPOCHS:-20}" --schedule one-cycle --learning-rate 1.5e-3 --average 0.999 --seed 1 \
  --batch-size 64 --no-balance --patience "${EPOCHS:-20}" \
  --output "$work/digits.safetensors"
cp "$work/digits.safetensors" Sources/InkStudio/Resources/digits.safetensors
for data in "$mnist" "$work/test.ndjson"; do
  "$inkstate" evaluate "$data" --model "$work/digits.safetensors"
done
