#!/usr/bin/env bash
# Trains the network that sees a whole page: a class for each cell of 2 x 2 pixels, the centre and size of states,
# and the direction of arrows. It learns from pages that are composed while it learns, in the handwriting of 321
# people, with rings, arrows and heads of 17 others, and synthetic ones. `scripts/train page` runs this. If it
# is stopped, it goes on where it was, to the same bytes.
set -euo pipefail

data=$INKSTATE_DATA
inkstate=$INKSTATE
runs=runs/page
mkdir -p "$runs"

# Handwriting: whole contributors and single writers of UNIPEN are set aside for validation, as in reader.sh.
python3 models/train/unipen-parts.py parts "$data/characters" "$runs"
"$inkstate" dataset split "$data/characters/chars74k.ndjson" --by writer --validation 0.1 --test 0 --seed 7 \
  --output "$runs/chars74k" --force
cat "$runs"/{char-train,word-train,chars74k/train}.ndjson >"$runs/writing.ndjson"
cat "$runs"/{char-aside,word-aside,char-writers,word-writers,chars74k/validation}.ndjson \
  >"$runs/writing-validation.ndjson"

# Rings, shafts and heads: $1 gestures, and Mixed Multistroke Gestures, whose ring is a stroke of the null symbol.
"$inkstate" dataset import "$data/dollar1" --map circle=state --map arrow=transition --others drop \
  --output "$runs/dollar1.ndjson" --force
"$inkstate" dataset import "$data/mmg" --map arrowhead=transition --others drop \
  --output "$runs/mmg-arrows.ndjson" --force
"$inkstate" dataset import "$data/mmg" --strokes --map null/curve=state --others drop --source mmg \
  --output "$runs/mmg-rings.ndjson" --force
cat "$runs"/{dollar1,mmg-arrows,mmg-rings}.ndjson >"$runs/shapes.ndjson"
"$inkstate" dataset split "$runs/shapes.ndjson" --by writer --validation 0.2 --test 0 --seed 7 \
  --output "$runs/shapes" --force

# train STEPS SEED OUTPUT OPTIONS…: goes on with an unfinished training; a finished one stays.
train() {
  local way=--force
  if [ -e "$runs/$3.checkpoint" ]; then way=--resume; elif [ -e "$runs/$3.safetensors" ]; then return; fi
  "$inkstate" train "$runs/writing.ndjson" --compose-pages --shapes "$runs/shapes" \
    --validation "$runs/writing-validation.ndjson" --steps "$1" --seed "$2" \
    --output "$runs/$3.safetensors" $way "${@:4}"
}
license="MIT; trained on pages composed of UNIPEN train_r01_v07 (CC BY 4.0 on Zenodo, doi 10.5281/zenodo.1195803; the CD-ROM of 1999 allowed research only; Guyon et al. 1994), Chars74K (free for research; de Campos et al. 2009), \$1 gestures (New BSD) and Mixed Multistroke Gestures (open; Anthony and Wobbrock 2012)"
train "${STEPS:-10000}" 20261126 first --architecture page --license "$license"
# More cycles of the learning rate, on other pages.
train "${STEPS:-5000}" 20261127 second --from "$runs/first.safetensors" --learning-rate 0.0015 --license "$license"
train "${STEPS:-18000}" 20261128 third --from "$runs/second.safetensors" --learning-rate 0.0015 --license "$license"
train "${STEPS:-6000}" 20261201 fourth --from "$runs/third.safetensors" --learning-rate 0.0012 --license "$license"
train "${STEPS:-14000}" 20261203 page --from "$runs/fourth.safetensors" --learning-rate 0.0015 --license "$license"
cp "$runs/page.safetensors" Sources/InkDiagram/Resources/page.safetensors

# The networks that tell arrows from other lines of a page. The command measures the lines with the networks in its
# resources: after each run, build it and start this script again, until they hardly change.
arrows=()
for part in 20261204:3600 11055:2600 31415:6000 27182:8000; do
  seed=${part%:*} count=${part#*:}
  pages=$runs/arrows-$seed
  arrows+=("$pages" "$pages.ndjson")
  "$inkstate" dataset compose pages "$runs/writing.ndjson" --shapes "$runs/shapes/train.ndjson" \
    --count "$count" --seed $seed --width 640 --height 640 --output "$pages" --force
  "$inkstate" dataset cut arrows "$pages" --output "$pages.ndjson" --force
done
python3 models/train/fit-arrows.py "${arrows[@]}" >"$runs/arrows.json"
cp "$runs/arrows.json" Sources/InkDiagram/Resources/arrows.json

# The weights by which the rows of writing are chosen, as the released reader reads it.
"$inkstate" dataset compose pages "$runs/writing.ndjson" --shapes "$runs/shapes/train.ndjson" \
  --legible --count 900 --seed 46001 --width 768 --height 768 --output "$runs/rows" --force
"$inkstate" dataset cut rows "$runs/rows" --output "$runs/rows.ndjson" --force
python3 models/train/fit-rows.py "$runs/rows" "$runs/rows.ndjson" >"$runs/rows.swift"
cp "$runs/rows.swift" Sources/InkDiagram/RowDivision+Weights.swift

# The weights by which the turn of a page is chosen, for PageNumbers.swift, on pages of people whom the page network did
# not see; the reader saw three of them.
"$inkstate" dataset compose pages "$runs/writing-validation.ndjson" --shapes "$runs/shapes/validation.ndjson" \
  --legible --count 300 --seed 46002 --width 768 --height 768 --output "$runs/turns" --force
"$inkstate" dataset cut turns "$runs/turns" --output "$runs/turns.ndjson" --force
python3 models/train/fit-turns.py "$runs/turns.ndjson"

# The numbers that decide what is a state and an arrow, fitted to pages with up to 16 states. They are not released: on
# pages of other people, they are no better than the usual ones (models/README.md).
"$inkstate" dataset compose pages "$runs/writing.ndjson" --shapes "$runs/shapes/train.ndjson" \
  --count 698 --seed 20261301 --width 640 --height 640 --output "$runs/decoding" --force
"$inkstate" calibrate Sources/InkDiagram/Resources/page.safetensors "$runs/decoding" \
  --output "$runs/fitted.safetensors" --force

# Pages of the same other people, to measure it on: inkstate evaluate runs/page/pages --model models/page.safetensors
"$inkstate" dataset compose pages "$runs/writing-validation.ndjson" --shapes "$runs/shapes/validation.ndjson" \
  --count 400 --seed 77 --output "$runs/pages" --force
