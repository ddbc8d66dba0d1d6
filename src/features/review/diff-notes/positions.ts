/** Positions: a place in a diff, which is named by the commits between which it is. */

/** The commits of a diff: it shows what changed from `base_sha` to `head_sha`. */
export interface DiffRefs {
  /** Null where the histories share nothing: the diff is of all that `head_sha` has. */
  base_sha: string | null
  /** The tip of the target; the base again in a diff of one commit, or of two versions. */
  start_sha: string
  head_sha: string
}

interface InFile extends DiffRefs {
  /** The file is the same under both, unless it was renamed. */
  old_path: string
  new_path: string
}

/** One of both lines is null: an added line has no old one, a removed line no new one. */
export interface TextPosition extends InFile {
  position_type: 'text'
  old_line: number | null
  new_line: number | null
  line_range: LineRange | null
}

/** A point of an image of that size, in pixels. */
export interface ImagePosition extends InFile {
  position_type: 'image'
  width: number
  height: number
  x: number
  y: number
}

/** The file as a whole. */
export interface FilePosition extends InFile {
  position_type: 'file'
}

export type Position = TextPosition | ImagePosition | FilePosition

/** Several lines, of which the position names the last. */
export interface LineRange {
  start: LineEnd
  end: LineEnd
}

export interface LineEnd {
  line_code: string | null
  type: 'new' | 'old' | 'expanded' | null
  old_line: number | null
  new_line: number | null
}

export function sameRefs(one: DiffRefs, other: DiffRefs): boolean {
  return one.base_sha === other.base_sha && one.start_sha === other.start_sha && one.head_sha === other.head_sha
}

export function refsOf({ base_sha, start_sha, head_sha }: DiffRefs): DiffRefs {
  return { base_sha, start_sha, head_sha }
}

/** As rows keep it: JSON, in which positions of the same place are the same text. */
export function positionText(position: Position): string {
  const { base_sha, start_sha, head_sha, old_path, new_path, position_type } = position
  const common = { base_sha, start_sha, head_sha, old_path, new_path, position_type }
  if (position.position_type === 'image') {
    const { width, height, x, y } = position
    return JSON.stringify({ ...common, width, height, x, y })
  }
  if (position.position_type === 'file') return JSON.stringify(common)
  const { old_line, new_line, line_range } = position
  return JSON.stringify({ ...common, old_line, new_line, line_range })
}

/** Of a row: what `positionText` wrote. */
export function positionOf(text: string): Position {
  return JSON.parse(text) as Position
}
