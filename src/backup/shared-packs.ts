/** Forks share packs with their source: each is copied once, and the copies are linked as the originals are, also when several are copied at once. */
import type { Stats } from 'node:fs'

/** @param copy gets the path of another copy of the same pack, or null; its result is null if the file vanished */
export type CopyOnce = <T>(
  file: { from: string; to: string; found: Pick<Stats, 'dev' | 'ino' | 'nlink'> },
  copy: (other: string | null) => Promise<T | null>,
) => Promise<T | null>

/** For the files of one backup, or of one restore. */
export function copyingOnce(): CopyOnce {
  const copies = new Map<string, Promise<string | null>>()
  return async ({ from, to, found: { dev, ino, nlink } }, copy) => {
    if (nlink === 1 || !from.endsWith('.pack')) return copy(null)
    const place = `${dev}:${ino}`
    const known = copies.get(place)
    if (known) return copy(await known)
    const copying = copy(null)
    copies.set(
      place,
      copying.then(
        (made) => (made === null ? null : to),
        () => null,
      ),
    )
    return copying
  }
}
