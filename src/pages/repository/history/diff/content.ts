/** Special kinds of changed files: an image, a submodule, an LFS pointer. */
import type { FileDiff } from '../../../../git/diff/diff-reader.ts'
import { type DiffRow, rowsOf } from '../../../../git/diff/hunks.ts'

/** Both sides of a change; null if there was no such content. */
export interface Sides<T> {
  old: T | null
  new: T | null
}

const submodule = '160000'
const picture = /\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$/i

/** Not SVG, which is shown as text. */
export function isPicture({ new_path, patch }: FileDiff): boolean {
  return picture.test(new_path) && patch.startsWith('Binary files')
}

/** The commits of a submodule; null for anything else. */
export function submoduleOf({ old_mode, new_mode, old_oid, new_oid }: FileDiff): Sides<string> | null {
  if (old_mode !== submodule && new_mode !== submodule) return null
  return { old: old_mode === submodule ? old_oid : null, new: new_mode === submodule ? new_oid : null }
}

const maxPointer_chars = 2_000

/** The sizes in LFS pointers, in bytes; null for other files. */
export function largeFileOf({ patch }: FileDiff): Sides<number> | null {
  if (patch.length > maxPointer_chars || !patch.includes('version https://git-lfs.github.com/spec/v1')) return null
  const rows = [...rowsOf(patch)]
  const sizes = { old: sizeIn(rows, 'removed'), new: sizeIn(rows, 'added') }
  return sizes.old === null && sizes.new === null ? null : sizes
}

function sizeIn(rows: readonly DiffRow[], changed: 'added' | 'removed'): number | null {
  const texts = rows.flatMap(({ kind, text }) => (kind === changed || kind === 'same' ? [text] : []))
  const isPointer = texts[0] === 'version https://git-lfs.github.com/spec/v1' && texts.some((text) => text.startsWith('oid sha256:'))
  const [, size] = texts.map((text) => /^size (\d{1,15})$/.exec(text)).find((match) => match !== null) ?? []
  return isPointer && size !== undefined ? Number(size) : null
}
