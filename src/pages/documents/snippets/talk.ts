/** The snippet of a project with its discussion. */
import { listAwards } from '../../../features/discussion/award-emoji/award-emoji.ts'
import type { Noteable } from '../../../features/noteable-kinds.ts'
import { discussedSnippet } from '../../../features/snippets/snippets.ts'
import { html } from '../../../html/html.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { View, Visit } from '../../frame/declaration.ts'
import { textFieldScript } from '../../frame/forms.ts'
import { type RefusedNote, readTalk, talkView } from '../../planning/discussion/discussion.ts'
import { reactionMenu, reactions } from '../../planning/discussion/reactions.ts'
import { projectView } from '../../project/project-view.ts'
import type { SeenSnippet } from './seen.ts'
import { snippetView } from './snippet-view.ts'

type SeenInProject = Visit & ProjectGranted & Pick<SeenSnippet, 'snippet' | 'user'>

const maxAwards = 1_000

/** @param page number of the page of the discussion */
export async function discussedSnippetView(
  seen: SeenInProject,
  { page = 1, refusedNote = null }: { page?: number; refusedNote?: RefusedNote | null } = {},
): Promise<View> {
  const { app, project, level, user, snippet, token } = seen
  const noteable: Noteable<'snippet'> = { kind: 'snippet', row: discussedSnippet(snippet, project.id), project, level }
  const discussed = { ...seen, noteable }
  const { rows: awards } = await listAwards(app.db, { kind: 'snippet', id: snippet.id }, { limit: maxAwards, offset: 0 })
  const form = {
    action: `/${project.full_path}/snippets/${snippet.id}/emoji`,
    token,
    viewer: project.archived ? null : user,
    id: 'snippet-emoji-',
  }
  const below = {
    reactions: html`<div class="reacting">${reactionMenu(awards, form)}${reactions(awards, form)}</div>`,
    talk: talkView(discussed, await readTalk(discussed, page), refusedNote, null),
    scripts: ['planning.js', textFieldScript],
  }
  const view = await snippetView({ ...seen, access: { project, level } }, below)
  return projectView({ project, level, user, tab: 'snippets', showsCode: false }, view)
}
