/** The page of a project without commits, for those who may push: the first file by a form, or the commands of a push. */

import type { ProjectAccess } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import { addressAt } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { keysOfUser } from '../../../features/people/keys/keys.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { copyable, copyableBlock } from '../../frame/parts.ts'
import { cloneAddresses } from '../../repository/files/toolbar.ts'
import * as say from './sentences.ts'

/** One statement more for whoever is signed in, where SSH is served. */
export async function emptyRepository(app: App, { project, level }: ProjectAccess, user: User | null): Promise<Html> {
  const branch = app.config.default_branch
  const at = (page: string) => addressAt(project.full_path, page, branch)
  const addresses = cloneAddresses(app.config, project.full_path)
  const [settings, hasKey] = await Promise.all([
    readSettings(app.db),
    user !== null && addresses.length > 1 && keysOfUser(app.db, user.id, { limit: 1, offset: 0 }).then(({ total }) => total > 0),
  ])
  const mayImport = may('edit_project', level) && project.import_status === 'none' && settings.import_sources.includes('git')
  return html`
    <section class="empty-repository">
      <h2>${say.emptyRepository()}</h2>
      <p>${say.waysToBegin()}</p>
      <p class="actions">
        <a class="button primary" href="${at('new')}?file_path=README.md">Create a README</a>
        <a class="button" href="${at('create')}">Upload a file</a>
        ${mayImport && html`<a class="button" href="/${project.full_path}/import">Import a repository</a>`}
      </p>
      ${addresses.length > 1 && protocolChoice(hasKey ? 'ssh' : 'http')}
      ${addresses.map(([label, address]) => commandsFor(label, address, { directory: project.path, branch }))}
    </section>
  `
}

/** Chooses the protocol of the commands below. The page has both, and the style sheet shows the chosen ones. */
function protocolChoice(chosen: 'http' | 'ssh'): Html {
  const choice = (name: 'http' | 'ssh', label: string) => html`
    <label for="by-${name}">
      <input type="radio" name="protocol" id="by-${name}"${name === chosen && html` checked`}> ${label}
    </label>
  `
  return html`
    <fieldset class="protocols">
      <legend class="unseen">Protocol</legend>
      ${choice('http', 'HTTP')}${choice('ssh', 'SSH')}
    </fieldset>
  `
}

function commandsFor(label: string, address: string, { directory, branch }: { directory: string; branch: string }): Html {
  const isHttp = label === 'HTTP'
  const fresh = [
    `git clone ${address}`,
    `cd ${directory}`,
    `git switch --create ${branch}`,
    `echo "# ${directory}" > README.md`,
    'git add README.md',
    'git commit --message "Add a README"',
    `git push --set-upstream origin ${branch}`,
  ]
  const existing = [`git remote add origin ${address}`, 'git push --set-upstream origin --all', 'git push origin --tags']
  return html`
    <div class="commands" data-protocol="${isHttp ? 'http' : 'ssh'}">
      ${copyable(t`Address for ${label}`, address)}
      <p class="hint">
        ${isHttp ? say.httpCredentials() : say.sshCredentials()}
        <a href="${isHttp ? '/profile/personal_access_tokens' : '/profile/keys'}">${isHttp ? t`Create a token` : t`Add an SSH key`}</a>
      </p>
      <h3>${say.pushExisting()}</h3>
      ${copyableBlock(existing.join('\n'))}
      <h3>${say.pushNew()}</h3>
      ${copyableBlock(fresh.join('\n'))}
    </div>
  `
}
