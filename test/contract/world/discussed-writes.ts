/** Prepares writes of notes and award emoji on every kind of noteable, so that they succeed. */
import { everyServed } from './fixtures.ts'
import type { Prepared, Write } from './writes.ts'

/**
 * @param prefix of its values
 * @param ofPlace creates something at a path, and names it by this value
 */
export function writesOnDiscussed(
  path: string,
  here: string,
  prefix: string,
  values: Record<string, string>,
  ofPlace: (name: string, path: string, body: unknown) => Promise<Write>,
): Prepared {
  return {
    [`POST ${path}/award_emoji`]: () => ({ body: { name: 'rocket' } }),
    [`DELETE ${path}/award_emoji/:award_id`]: () => ofPlace(`${prefix}award_id`, `${here}/award_emoji`, { name: 'fire' }),
    [`POST ${path}/notes/:note_id/award_emoji`]: () => ({ body: { name: 'rocket' } }),
    [`DELETE ${path}/notes/:note_id/award_emoji/:award_id`]: () =>
      ofPlace(`${prefix}note_award_id`, `${here}/notes/${values[`${prefix}note_id`]}/award_emoji`, { name: 'fire' }),
    [`DELETE ${path}/notes/:note_id`]: () => ofPlace(`${prefix}note_id`, `${here}/notes`, { body: 'Fresh' }),
    [`PUT ${path}/discussions/:discussion_id/notes/:note_id`]: () => ({ body: { body: 'Changed' } }),
    [`DELETE ${path}/discussions/:discussion_id/notes/:note_id`]: () =>
      ofPlace(`${prefix}note_id`, `${here}/discussions/${values[`${prefix}discussion_id`]}/notes`, { body: 'Fresh' }),
  }
}

/** On a commit, under both of its URLs, as far as they are served. */
export function writesOnCommits(here: string, onDiscussed: (path: string, here: string, prefix: string) => Prepared): Prepared {
  const all = ['/projects/:id/repository/commits/:sha', '/projects/:id/commits/:sha'].flatMap((path) =>
    Object.entries(onDiscussed(path, here, 'commit_')),
  )
  return Object.fromEntries(all.filter(([name]) => everyServed.some((one) => one.name === name)))
}
