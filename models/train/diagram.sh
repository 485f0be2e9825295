#!/usr/bin/env bash
# Trains the networks that recognise heads of arrows, rings of states, final states and arrows in
# photographs. They learn from simulated photographs of drawings composed of the characters of 57 people,
# and from photographed process diagrams. `scripts/train diagram` runs this.
set -euo pipefail

data=$INKSTATE_DATA
inkstate=$INKSTATE
runs=runs/diagram
mkdir -p "$runs"

# The same writers as in reader.sh.
cat "$data"/characters/{chars74k,omniglot,pendigits,uji-digits}.ndjson >"$runs/characters.ndjson"
"$inkstate" dataset split "$runs/characters.ndjson" --by writer --validation 0.1 --test 0.1 \
  --map ο=o --map ν=v --map κ=k --map χ=x --map υ=u --map ρ=p --drop ι \
  --seed 7 --output "$runs/characters" --force

# simulate PART DRAWINGS-PER-WRITER SEED PHOTOGRAPH-SEED COPIES-OF-STATES
simulate() {
  "$inkstate" dataset compose automata "$runs/characters/$1.ndjson" --per-writer "$2" --seed "$3" \
    --output "$runs/drawings.ndjson" --force
  local photographs="$runs/photographs-$1-$3"
  "$inkstate" dataset photograph "$runs/drawings.ndjson" --seed "$4" --output "$photographs" --force
  "$inkstate" dataset cut ends "$photographs" --output "$runs/heads-$1-$3" --force
  "$inkstate" dataset cut rings "$photographs" --copies 1 --output "$runs/rings-$1-$3" --force
  "$inkstate" dataset cut counts "$photographs" --copies "$5" --output "$runs/counts-$1-$3" --force
}
simulate train 6 901 91 4
simulate train 6 902 92 4
simulate validation 15 77 5 2

license="MIT; trained on drawings composed of Chars74K (free for research; de Campos et al. 2009), Omniglot (MIT), Pen digits and UJIpenchars2 (CC BY 4.0)"
pages_license="MIT; trained on photographs of process diagrams of hdBPMN (CC BY 4.0) and ${license#MIT; trained on }"

# learn NAME LICENSE OPTION...
learn() {
  "$inkstate" train "${@:3}" --architecture drawing --augment none --seed 20261123 \
    --output "$runs/$1.safetensors" --force --license "$2"
  cp "$runs/$1.safetensors" Sources/InkDiagram/Resources/
}
# examples NAME: the examples of the training writers and those of the validation writers
examples() { echo "$runs/$1-train-901" "$runs/$1-train-902" --validation "$runs/$1-validation-77"; }

learn heads "$license" $(examples heads) --epochs 4
learn counts "$license" $(examples counts) --epochs 5

# pages PART COPIES
pages() {
  scripts/reference/pages-truth.py "$data/pages" "$1" "$runs/pages-$1"
  "$inkstate" dataset cut rings "$runs/pages-$1" --copies "$2" --output "$runs/rings-pages-$1" --force
}
pages train 3
pages validation 2
# As many letters and boxes look like rings as they do on pages, so classes are not balanced.
learn rings "$pages_license" "$runs/rings-pages-train" "$runs"/rings-train-{901,902} \
  --validation "$runs/rings-pages-validation" --no-balance --epochs 5

# Which lines may be arrows depends on the heads and rings that the command sees.
scripts/build inkstate
for part in train-901 train-902 validation-77; do
  "$inkstate" dataset cut arrows "$runs/photographs-$part" --output "$runs/arrows-$part" --force
done
learn arrows "$license" $(examples arrows) --no-balance --epochs 5
