/** Feature flags as rows with their switches, and the panels above them. */
import type { WholeFlag } from '../../../features/ci/project-flags/project-flags.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import type { Typed } from '../../frame/declaration.ts'
import { dangerous, field, form, postButton, problemsOf, select } from '../../frame/forms.ts'
import { copyable, isolated } from '../../frame/parts.ts'

export const flagSentences = {
  introduction: 'A flag turns something in your program on or off while it runs. The program reads them as a client of Unleash does.',
  none: 'No feature flag yet.',
  created: (name: string) => `The feature flag ${name} was created, and is on.`,
  switched: (name: string, active: boolean) => `The feature flag ${name} is ${active ? 'on' : 'off'}.`,
  deleted: (name: string) => `The feature flag ${name} was deleted. Programs take it as off.`,
  reset: 'The instance ID was replaced. Programs with the one before read nothing any more.',
  deletion: 'Programs take a flag that they don’t know as off.',
  resetting: 'Programs read no flags until they have the new one.',
  appName: 'The name of the application is that of its environment, such as production: it gets the flags that count there.',
}

interface Forms {
  address: string
  token: Html
}

const audiences = [
  ['default', 'Everybody'],
  ['userWithId', 'Some users'],
  ['flexibleRollout', 'A share of all users'],
] as const

const fields = ['name', 'description', 'audience', 'users', 'percent', 'environments']

export function creationPanel({ address, token }: Forms, typed: Typed): Html {
  const isOpen = typed.errors.all.length > 0 || Object.keys(typed.errors.of).length > 0
  const content = html`
    ${field('Name', 'name', typed, { required: true, hint: '2 to 63 lowercase letters, digits, hyphens and underscores.' })}
    ${field('Description', 'description', typed)}${select('On for', 'audience', typed, audiences)}
    ${field('Users', 'users', typed, { hint: 'For some users: their ids in your program, with commas between them.' })}
    ${field('Percent', 'percent', typed, { type: 'number', min: 0, max: 100, hint: 'For a share of all users.' })}
    ${field('Environments', 'environments', typed, { hint: 'Names or wildcards such as review/*, with commas; empty for all.' })}
  `
  return html`
    <details class="panel"${isOpen && html` open`}>
      <summary>New feature flag</summary>
      ${problemsOf(typed.errors, fields)}${form({ action: address, token, submit: 'Create' }, content)}
    </details>
  `
}

export function connectionPanel(
  { address, token }: Forms,
  { url, instance_id, resets }: { url: string; instance_id: string; resets: boolean },
): Html {
  const replace = form({ action: `${address}/reset_instance_id`, token, submit: 'Replace the instance ID', kind: 'danger' }, html``)
  return html`
    <details class="panel">
      <summary>Connect a program</summary>
      <h2>URL</h2>
      ${copyable('URL', url)}
      <h2>Instance ID</h2>
      ${copyable('Instance ID', instance_id)}
      <p class="hint">${flagSentences.appName}</p>
      ${resets && dangerous('Replace the instance ID', html`<p>${flagSentences.resetting}</p>${replace}`)}
    </details>
  `
}

export function flagRow(flag: WholeFlag, { address, token, mayChange }: Forms & { mayChange: boolean }): Html {
  const { name, description, active, strategies } = flag
  const at = `${address}/${name}`
  const words = html`${active ? 'Turn off' : 'Turn on'}<span class="unseen"> ${name}</span>`
  const turn = postButton(words, { action: `${at}/switch`, token, fields: { active: String(!active) } })
  const deletion = form({ action: `${at}/delete`, token, submit: 'Delete', kind: 'danger' }, html``)
  return html`
    <li>
      <div class="what">
        <b>${name}</b> <span class="tag${active && ' added'}">${active ? 'on' : 'off'}</span>
        ${description !== '' && html`<p>${isolated(description)}</p>`}
        <p>${strategies.length === 0 ? 'For nobody: it has no strategy.' : strategies.map((one) => html`${strategyWords(one)} `)}</p>
      </div>
      ${
        mayChange &&
        html`
          <div class="facts">
            ${turn}${dangerous(html`Delete<span class="unseen"> ${name}</span>`, html`<p>${flagSentences.deletion}</p>${deletion}`)}
          </div>
        `
      }
    </li>
  `
}

function strategyWords({ name, parameters, scopes, user_list }: WholeFlag['strategies'][number]): Html {
  const places = scopes.map(({ environment_scope }) => environment_scope)
  const where = places.includes('*') ? 'everywhere' : places.length === 0 ? 'nowhere' : html`in ${isolated(places.join(', '))}`
  switch (name) {
    case 'default':
      return html`For everybody, ${where}.`
    case 'gitlabUserList':
      return html`For the users of ${isolated(user_list?.name ?? 'a list')}, ${where}.`
    case 'userWithId':
      return html`For ${count((parameters.userIds ?? '').split(',').length, 'user')}, ${where}.`
    case 'gradualRolloutUserId':
      return html`For ${parameters.percentage ?? '0'} % of users, ${where}.`
    case 'flexibleRollout':
      return html`For ${parameters.rollout ?? '0'} % of users, ${where}.`
  }
}
