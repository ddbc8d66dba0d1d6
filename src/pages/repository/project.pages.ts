/** The page of a project: what it is, how to get it, its files and its README. */

import type { LocatedProject } from '../../access/find.ts'
import { canDownload } from '../../access/find.ts'
import type { App } from '../../app.ts'
import { readCommit } from '../../git/objects/read.ts'
import { resolveCommit } from '../../git/refs/resolve.ts'
import type { Repo } from '../../git/repository/repository.ts'
import { project } from '../../http/rules.ts'
import { httpCloneUrl, sshCloneUrl } from '../../links.ts'
import { feedLink } from '../feeds/feed-link.ts'
import { page } from '../frame/declaration.ts'
import { type Html, html } from '../frame/html.ts'
import { count } from '../frame/phrases.ts'
import { projectView } from '../project/project-view.ts'
import { readmeOf } from './files/readme.ts'
import { folderAt, folderTable } from './files/tree.ts'
import { commitLine } from './history/commits.ts'

export const projectPages = [
  page('GET /:project', {
    access: project('visible'),
    async show({ app, ip, user, project, level, repo }) {
      const mayRead = canDownload({ project, level }, user)
      return projectView(
        { project, level, user, tab: 'project' },
        {
          title: '',
          main: html`<h1>${project.name}</h1>${project.description && html`<p>${project.description}</p>`}
<p class="hint">${count(project.star_count, 'star')}, ${count(project.forks_count, 'fork')}</p>
${mayRead && cloneAddresses(app, project)}${mayRead && (await filesOf(app, { project, repo, reader: user ? `user ${user.id}` : ip }))}`,
          head: html`${feedLink('Activity', `/${project.full_path}.atom`, user)}<meta name="go-import" content="${new URL(app.config.url).host}/${project.full_path} git ${httpCloneUrl(app.config, project.full_path)}">`,
        },
      )
    },
  }),
]

function cloneAddresses({ config }: App, { full_path }: LocatedProject): Html {
  const addresses = [
    ['HTTP', httpCloneUrl(config, full_path)] as const,
    ...(config.ssh_port === null ? [] : [['SSH', sshCloneUrl(config, full_path)] as const]),
  ]
  return html`<dl class="clone">${addresses.map(([label, address]) => html`<dt>${label}</dt><dd><code>${address}</code></dd>`)}</dl>`
}

/** The root of the default branch, with its README; for an empty repository, how to fill it. */
async function filesOf(app: App, { project, repo, reader }: { project: LocatedProject; repo: Repo; reader: string }): Promise<Html> {
  const { default_branch: revision } = project
  const commit = revision === null ? null : await resolveCommit(repo, `refs/heads/${revision}`)
  if (revision === null || commit === null) {
    return html`<div class="empty"><p>The repository is empty. To fill it:</p><pre>git clone ${httpCloneUrl(app.config, project.full_path)}
cd ${project.path}
git switch --create main
echo "# ${project.name}" > README.md
git add README.md
git commit --message "Add a README"
git push --set-upstream origin main</pre></div>`
  }
  const place = { revision, commit, path: '' }
  const { rows } = await folderAt(repo, place)
  return html`${commitLine(project, await readCommit(repo, commit))}${folderTable(project, place, { rows })}
${await readmeOf(app, { project, repo, place, rows, reader })}`
}
