/// What a picture tells of the strokes that were traced in it.
struct PictureEvidence {
  let heads: HeadEvidence
  let rings: RingEvidence
  let arrows: ArrowEvidence
}
