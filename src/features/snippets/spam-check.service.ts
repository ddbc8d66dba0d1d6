/** Checks the title, description and files of a snippet for spam, if everybody can read them and they have changed. */
import type { App } from '../../app.ts'
import type { Snippet, User } from '../../db/tables.ts'
import { assertNotSpam } from '../instance/spam/spam.ts'
import { type Content, filesOf, hasPublicSnippets } from './snippets.queries.ts'

type Texts = Pick<Snippet, 'project_id' | 'title' | 'description' | 'visibility'>

/** @param files null if they don't change */
export function assertSnippetIsNotSpam(
  app: App,
  editor: User,
  before: Snippet | null,
  after: Texts,
  files: () => Promise<Content[] | null>,
): Promise<void> {
  return assertNotSpam(app, editor, async () => {
    if (after.visibility !== 'public') return null
    if (after.project_id !== null && !(await hasPublicSnippets(app.db, after.project_id))) return null
    const changed = await files()
    const isSame = before !== null && (['title', 'description', 'visibility'] as const).every((name) => after[name] === before[name])
    if (isSame && changed === null) return null
    const shown = changed ?? (before === null ? [] : await filesOf(app.db, before.id))
    return {
      kind: 'snippet',
      title: after.title,
      text: [after.description ?? '', ...shown.map(({ content }) => content)].join('\n').trim(),
    }
  })
}
