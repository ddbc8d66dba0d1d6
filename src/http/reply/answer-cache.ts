/**
 * Cache of whole answers that depend only on the caller, the URL and the database, valid until anything is written to it; of a repository,
 * also until a ref moves that was read for it, which whoever finds such an answer checks (`areCurrent`). Authentication
 * and the access rule run each time. The stamp of the database is read before the caller is: an answer based on a row from before a write
 * must not be kept. A handler marked `fromDatabase` must not use the clock, the disk or the network. PostgreSQL has no such stamp, so
 * nothing is cached there.
 */
import type { Db } from '../../db/database.ts'
import { today } from '../../db/instants.ts'
import { stampOf } from '../../db/prepared-queries.ts'
import type { RefReads } from '../../git/repository/ref-reads.ts'

/** An answer as it is written. */
export interface Answer {
  status: number
  head: Record<string, string | number>
  text: string
  /** The refs that it depends on. */
  reads?: RefReads
}

export interface AnswerCache {
  /** Call it before anything is read for a request. */
  stamp: () => number | null
  /**
   * The answer to this caller, if nothing was written since. Otherwise `keep` stores it once it is built.
   * @param before the stamp from before the caller was read: with the first request of a day, the caller's row is written
   */
  find: (user: { id: number } | null, url: string, before: number | null) => { known: Answer | undefined; keep: (answer: Answer) => void }
}

const max_chars = 4 * 1024 * 1024
const maxAnswer_chars = 256 * 1024
const nothingKept = { known: undefined, keep: () => {} }

/** For an embedded database, which detects writes at almost no cost; with PostgreSQL nothing is cached. */
export function answerCache(db: Db): AnswerCache {
  const answers = new Map<string, Answer>()
  let chars = 0
  let stamp: number | null = null
  const clear = (now: number | null) => {
    answers.clear()
    chars = 0
    stamp = now
  }
  return {
    stamp: () => stampOf(db),
    find(user, url, before) {
      const now = stampOf(db)
      if (now === null) return nothingKept
      if (now !== stamp) clear(now)
      // Memberships expire by day.
      const key = `${user?.id ?? ''} ${today()} ${url}`
      const known = answers.get(key)
      const keep = (answer: Answer) => {
        // Something may have been written while the answer was built.
        if (before !== now || stampOf(db) !== now || stamp !== now || answer.text.length > maxAnswer_chars) return
        if (chars > max_chars) clear(now)
        answers.set(key, answer)
        chars += key.length + charsOf(answer)
      }
      return { known, keep }
    },
  }
}

/** Characters in memory: the links of a list contain its URL four times. */
function charsOf({ head, text }: Answer): number {
  return Object.values(head).reduce<number>((sum, value) => sum + String(value).length, text.length + 1_000)
}
