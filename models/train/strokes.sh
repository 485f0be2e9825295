#!/usr/bin/env bash
# Trains the released model from real ink, from drawings composed of it, and from synthetic writers; calibrates
# it on writers that it did not learn from; and writes its evaluation on the writers that were set aside to
# models/evaluation.html. `scripts/train strokes [--study]` runs this.
#
# With --study, it is also trained with two other seeds and without one ingredient at a time, with a table of
# the results; and fusion is compared with sketch.
#
# Seeded: the same data and OpenBLAS kernels give the same bytes. The label policy is datasets/LABELS.md; what
# maps to what stands below, source by source.
set -euo pipefail

recordings=$INKSTATE_DATA
inkstate=$INKSTATE
work=runs/released
seed=20261121
rm -rf "$work"

# $1 gestures: one stroke each.
"$inkstate" dataset import "$recordings/dollar1" --map circle=state --map arrow=transition \
  --others other --output "$work/dollar1-whole.ndjson"
"$inkstate" dataset compose strokes "$work/dollar1-whole.ndjson" --per-writer 80 --seed $seed \
  --output "$work/dollar1-composed.ndjson"
cat "$work"/dollar1-{whole,composed}.ndjson > "$work/dollar1.ndjson"

# Mixed Multistroke Gestures: whole drawings, and strokes where they are honest examples.
"$inkstate" dataset import "$recordings/mmg" --map arrowhead=transition --map line=transition \
  --others other --output "$work/mmg-whole.ndjson"
maps=(--map null/curve=state --map arrowhead/bow=other)
for symbol in asterisk X null; do maps+=(--map "$symbol/line=transition"); done
for symbol in D P pitchfork six_point_star N arrowhead; do maps+=(--map "$symbol/curve=other"); done
"$inkstate" dataset import "$recordings/mmg" --strokes "${maps[@]}" --others drop --source mmg \
  --output "$work/mmg-strokes.ndjson"
cat "$work"/mmg-{whole,strokes}.ndjson > "$work/mmg-real.ndjson"
"$inkstate" dataset compose strokes "$work/mmg-real.ndjson" --per-writer 80 --seed $seed \
  --output "$work/mmg-composed.ndjson"
cat "$work"/mmg-{real,composed}.ndjson > "$work/mmg.ndjson"

# Quick, Draw!: writers unknown.
"$inkstate" dataset import "$recordings/quickdraw" --map circle=state --map line=transition \
  --drop hexagon --drop octagon --drop donut --others other --output "$work/quickdraw.ndjson"

# The reference editor's pictures: one writer, made elsewhere, the only real cycles.
"$inkstate" dataset import "$recordings/automata-images" --map circle=state --map arrow=transition \
  --output "$work/automata-images"

"$inkstate" dataset synthesize --writers 150 --per-class 12 --seed $seed \
  --output "$work/synthetic.ndjson"

# Nothing of a writer lies on two sides: 70 % to learn from, 15 % to choose by, 15 % set aside.
parts=()
for data in dollar1.ndjson mmg.ndjson quickdraw.ndjson automata-images synthetic.ndjson; do
  name=${data%.ndjson}
  "$inkstate" dataset split "$work/$data" --by writer --seed $seed --output "$work/split-$name"
  parts+=("$work/split-$name")
done

# Pens, margins and faint ink make drawings look like pictures made elsewhere; coarse spacing is what
# slow devices record.
cat > "$work/augmentation.json" << 'END'
{
  "rotation": 3.141592653589793, "reflects": true, "stretch": 0.3, "shear": 0.15, "warp": 0.04,
  "tremor": 0.006, "trim": 0.03, "overshoot": 0.03, "spacing": 0.12, "penWidths": [0.8, 2.6],
  "margins": [0, 1.5], "strengths": [0.6, 1], "framed": 0.3, "smallest": 0.65, "shift": 1
}
END

# The pictures made elsewhere are few: they are learnt from twice.
learnt=("${parts[@]}" "$work/split-automata-images")

chosen_by=("${parts[@]}")

# train NAME SEED EPOCHS PARTS…: trains and calibrates one model.
train() {
  local name=$1 seed=$2 epochs=$3
  shift 3
  "$inkstate" train "$@" --architecture "${architecture:-sketch}" --epochs "$epochs" \
    --schedule one-cycle --learning-rate 3e-3 --average 0.998 --label-smoothing 0.02 \
    --batch-size 64 --no-balance --patience "$epochs" \
    --augment "${augmentation:-$work/augmentation.json}" --seed "$seed" --force \
    --output "$work/$name-raw.safetensors"
  "$inkstate" calibrate "$work/$name-raw.safetensors" "${chosen_by[@]}" --false-rejections 0.02 \
    --except transition=0.004 --except cycle=0.01 --force --output "$work/$name.safetensors"
}

train released $seed 80 "${learnt[@]}"
cp "$work/released.safetensors" Sources/InkRecognizer/Resources/inkstate.safetensors

axes=source,writer,label,kind,strokes,size,angle,pen,sampling
"$inkstate" evaluate "${parts[@]}" --model "$work/released.safetensors" --by $axes --force \
  --html models/evaluation.html
[ "${1:-}" = --study ] || exit 0

# report NAME: how a variant does on the writers that were set aside.
report() {
  echo
  echo "== $1"
  "$inkstate" evaluate "${parts[@]}" --model "$work/$1.safetensors" --by source |
    sed -n '/^mean recall/,/^area/p; /^decisions/,$p'
}

for other_seed in 1 2; do
  train "seed-$other_seed" $other_seed 80 "${learnt[@]}"
  report "seed-$other_seed"
done

# One ingredient less at a time, with 15 epochs, beside all ingredients with 15 epochs.
train short $seed 15 "${learnt[@]}"
report short

# except NAME: all parts but that one.
except() {
  learnt=()
  for part in "${parts[@]}" "$work/split-automata-images"; do [[ $part == *"$1" ]] || learnt+=("$part"); done
}
except split-synthetic
train without-synthesis $seed 15 "${learnt[@]}"
report without-synthesis

# without NAME PATTERN: the parts without the recordings that match.
without() {
  local name=without-$1 pattern=$2 part
  learnt=()
  for part in "${parts[@]}" "$work/split-automata-images"; do
    if [ -f "$part/train.ndjson" ]; then
      mkdir -p "$work/$name"
      grep -v "$pattern" "$part/train.ndjson" > "$work/$name/${part##*/}.ndjson"
      learnt+=("$work/$name/${part##*/}.ndjson")
    else
      learnt+=("$part/train")
    fi
  done
  train "$name" $seed 15 "${learnt[@]}"
}
without composed '"kind":"composed'
report without-composed

augmentation=none train without-augmentation $seed 15 "${parts[@]}" "$work/split-automata-images"
report without-augmentation

# Without any of the reference's pictures, tested on all of them.
except split-automata-images
train without-pictures $seed 80 "${learnt[@]}"
echo
echo "== without-pictures, on all of them"
"$inkstate" evaluate "$work/automata-images" --model "$work/without-pictures.safetensors" --disturb 0.72

# Without *other*, nothing but thresholds refuses: junk is shown to it as if it were a state.
mkdir -p "$work/good"
chosen_by=()
for part in "${parts[@]}"; do
  [ -f "$part/validation.ndjson" ] || continue
  grep -v '"word":"other"' "$part/validation.ndjson" > "$work/good/${part##*/}.ndjson"
  chosen_by+=("$work/good/${part##*/}.ndjson")
done
without other '"word":"other"'
echo
echo "== without-other, junk rejected"
cat "$work"/split-{dollar1,mmg,quickdraw,synthetic}/test.ndjson | grep '"word":"other"' \
  > "$work/junk.ndjson"
"$inkstate" evaluate "$work/junk.ndjson" --map other=state \
  --model "$work/without-other.safetensors" | grep ^rejected

# A second input, the strokes, beside the picture alone: from recordings only, because pictures have no
# strokes, and on the writers that the thresholds were chosen by.
except split-automata-images
chosen_by=("${learnt[@]}")
for this_seed in $seed 1 2; do
  for architecture in sketch fusion; do
    name=recordings-$architecture-$this_seed
    train "$name" "$this_seed" 12 "${learnt[@]}"
    echo
    echo "== $name, validation writers"
    "$inkstate" evaluate "${learnt[@]}" --part validation --by kind \
      --model "$work/$name.safetensors"
  done
done
