/** Who the people of an archive are in this instance, and what is said where they are nobody. */
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import type { TempFile } from '../../../store/temp-file.ts'
import { pagesOf } from '../archive/archive.ts'
import { usersCalled } from './restore.queries.ts'

interface Person {
  /** Null where he is nobody here. */
  user_id: number | null
  name: string
}

export interface People {
  /** Null for whom the archive doesn't tell of, and who is nobody here. */
  userOf: (person: number | null) => number | null
  /** The name that is noted on what the person wrote; null where he is a user himself. */
  nameToNote: (person: number | null) => string | null
}

/**
 * An administrator's archive gives to each user what was theirs: they are found by the address it tells of members, otherwise by
 * their username. From anybody else it gives to the importer alone: whoever makes an archive could put words into others' mouths.
 */
export async function recognise(app: App, importer: User, file: TempFile | undefined): Promise<People> {
  const people = new Map<number, Person>()
  if (file) {
    for await (const page of pagesOf('people', file)) {
      const users = importer.admin ? await usersCalled(app.db, ...wanted(page)) : [importer]
      for (const { id, name, username, email } of page) {
        const byEmail = users.find((user) => user.email_key === email?.toLowerCase())
        const byName = users.find((user) => user.username_key === username.toLowerCase())
        people.set(id, { user_id: (byEmail ?? byName)?.id ?? null, name })
      }
    }
  }
  return {
    userOf: (person) => (person === null ? null : (people.get(person)?.user_id ?? null)),
    nameToNote: (person) => {
      const found = person === null ? undefined : people.get(person)
      return found?.user_id ? null : (found?.name ?? 'somebody')
    },
  }
}

function wanted(page: Array<{ username: string; email: string | null }>): [string[], string[]] {
  return [page.map(({ username }) => username.toLowerCase()), page.flatMap(({ email }) => email?.toLowerCase() ?? [])]
}
