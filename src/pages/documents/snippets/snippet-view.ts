/** A snippet with its files and its actions. */

import { canChangeSnippet } from '../../../access/snippets.ts'
import { snippetAddress } from '../../../addresses/documents.ts'
import { webUrl } from '../../../addresses/links.ts'
import { type DescribedSnippet, describeSnippets, filesOf } from '../../../features/snippets/snippets.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { View } from '../../frame/declaration.ts'
import { dangerous, postButton } from '../../frame/forms.ts'
import { visibilityTag } from '../../frame/levels.ts'
import { copyable, icon, isolated } from '../../frame/parts.ts'
import { person } from '../../project/people.ts'
import { filesView, proseOfFiles } from './files-view.ts'
import type { SeenSnippet } from './seen.ts'
import { sentences } from './sentences.ts'
import { proseIn } from './texts.ts'

/** Whether the viewer may edit and delete it; must match the access rules of the actions. */
export function mayChange({ snippet, access, user }: Pick<SeenSnippet, 'snippet' | 'access' | 'user'>): boolean {
  return canChangeSnippet(snippet, access, user) && !access?.project.archived
}

/** Parts below the files: reactions and the discussion. */
export interface Below {
  reactions: Html
  talk: Html
  scripts: string[]
}

export async function snippetView(seen: SeenSnippet, below: Below): Promise<Omit<View, 'above'>> {
  const { app, snippet, token } = seen
  const [described] = await describeSnippets(app.db, [snippet])
  const { author, project_path } = described as DescribedSnippet
  const address = snippetAddress(snippet, project_path)
  const files = await filesOf(app.db, snippet.id)
  const [description, ...prose] = await proseIn(seen, [snippet.description, ...proseOfFiles(files)])
  const isOpen = snippet.visibility === 'public' && (seen.access?.project.visibility ?? 'public') === 'public'
  const tools = mayChange(seen) && html`<a class="button" href="${address}/edit" data-key="e">${icon('edit')} Edit</a>`
  const removal =
    mayChange(seen) &&
    dangerous(
      t`Delete this snippet`,
      html`<p>${sentences.deletion}</p>${postButton(t`Delete snippet`, { action: `${address}/remove`, token, kind: 'danger' })}`,
    )
  const edited = snippet.updated_at !== snippet.created_at && html`<span>updated ${ago(snippet.updated_at)}</span>`
  return {
    title: `${snippet.title} ($${snippet.id})`,
    scripts: below.scripts,
    main: html`
      <div class="snippet">
        <div class="heading">
          <h1>${isolated(snippet.title)} <span class="hint">$${snippet.id}</span></h1>
          ${tools}
        </div>
        <p class="facts">
          ${visibilityTag(snippet.visibility)}
          <span>Created ${ago(snippet.created_at)} by ${person(app, author)}</span>${edited}
        </p>
        ${description ?? null}${await filesView(seen, files, prose, address)}${below.reactions}
        ${
          isOpen &&
          html`
            <details class="embed">
              <summary>Embed</summary>
              <p class="hint">${sentences.embed}</p>
              ${copyable(t`Script`, `<script src="${webUrl(app.config, `${address.slice(1)}/embed.js`)}"></script>`)}
            </details>
          `
        }${below.talk}
        ${removal}
      </div>
    `,
  }
}
