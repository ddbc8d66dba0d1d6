/** One commit: its message, and what it changed. */

import { commit } from '../../../features/repository/revisions.ts'
import { diffCommit } from '../../../git/diff/diff.ts'
import { readStats } from '../../../git/history/history.ts'
import { titleOf } from '../../../git/objects/commit-title.ts'
import { readCommit } from '../../../git/objects/read.ts'
import { project } from '../../../http/rules.ts'
import { within } from '../../../http/within.ts'
import { page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { ago, count } from '../../frame/phrases.ts'
import { addressAt } from '../../project/address.ts'
import { projectView } from '../../project/project-view.ts'
import { commitAddress, shortId } from './commits.ts'
import { filesOf } from './diff.ts'

const maxFiles = 100

export const commitPages = [
  page('GET /:project/commit/:sha', {
    access: within(project('code'), commit),
    async show({ project, level, user, repo, commit }) {
      const found = await readCommit(repo, commit)
      const { oid, parents, author, committer, message } = found
      const [changes, stats] = await Promise.all([diffCommit(repo, found, { limit: maxFiles, offset: 0 }), readStats(repo, [found])])
      const title = titleOf(message) || shortId(oid)
      const rest = message.slice(titleOf(message).length).trim()
      const { additions = 0, deletions = 0 } = stats.get(oid) ?? {}
      return projectView(
        { project, level, user, tab: 'commits' },
        {
          title: `${title} (${shortId(oid)})`,
          main: html`<h1>${title}</h1>
<p class="hint">${author.name}, ${ago(author.date)}${author.name !== committer.name && html`, committed by ${committer.name} ${ago(committer.date)}`}</p>
${rest !== '' && html`<pre class="message">${rest}</pre>`}
<dl class="facts"><dt>Commit</dt><dd><code>${oid}</code></dd>
<dt>${parents.length === 1 ? 'Parent' : 'Parents'}</dt><dd>${
            parents.length === 0
              ? 'none'
              : parents.map((parent) => html`<a href="${commitAddress(project, parent)}"><code>${shortId(parent)}</code></a> `)
          }</dd>
<dt>Files</dt><dd><a href="${addressAt(project.full_path, 'tree', oid)}">Browse files</a></dd></dl>
<p>${count(changes.total, 'changed file')}, <span class="lines-added">+${additions}</span> <span class="lines-removed">−${deletions}</span></p>
${filesOf(changes.rows)}${changes.total > maxFiles && html`<p class="empty">Only the first ${maxFiles} files are shown.</p>`}`,
        },
      )
    },
  }),
]
