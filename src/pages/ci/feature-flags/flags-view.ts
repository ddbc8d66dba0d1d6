/** Feature flags as rows with their switches, and the panels above them. */

import type { WholeFlag } from '../../../features/ci/project-flags/project-flags.ts'
import { type Html, html } from '../../../html/html.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { dangerous, field, form, postButton, problemsOf, select } from '../../frame/forms.ts'
import { copyable, isolated } from '../../frame/parts.ts'

export const flagSentences = translated({
  introduction: 'A flag turns something in your program on or off while it runs. The program reads them as a client of Unleash does.',
  none: 'No feature flag yet.',
  created: (name: string) => t`The feature flag ${name} was created, and is on.`,
  switched: (name: string, active: boolean) => (active ? t`The feature flag ${name} is on.` : t`The feature flag ${name} is off.`),
  deleted: (name: string) => t`The feature flag ${name} was deleted. Programs take it as off.`,
  reset: 'The instance ID was replaced. Programs with the one before read nothing any more.',
  deletion: 'Programs take a flag that they don’t know as off.',
  resetting: 'Programs read no flags until they have the new one.',
  appName: 'The name of the application is that of its environment, such as production: it gets the flags that count there.',
})

interface Forms {
  address: string
  token: Html
}

const audiences = () =>
  [
    ['default', t`Everybody`],
    ['userWithId', t`Some users`],
    ['flexibleRollout', t`A share of all users`],
  ] as const

const fields = ['name', 'description', 'audience', 'users', 'percent', 'environments']

export function creationPanel({ address, token }: Forms, typed: Typed): Html {
  const isOpen = typed.errors.all.length > 0 || Object.keys(typed.errors.of).length > 0
  const content = html`
    ${field(t`Name`, 'name', typed, { required: true, hint: t`2 to 63 lowercase letters, digits, hyphens and underscores.` })}
    ${field(t`Description`, 'description', typed)}${select(t`On for`, 'audience', typed, audiences())}
    ${field(t`Users`, 'users', typed, { hint: t`For some users: their ids in your program, with commas between them.` })}
    ${field(t`Percent`, 'percent', typed, { type: 'number', min: 0, max: 100, hint: t`For a share of all users.` })}
    ${field(t`Environments`, 'environments', typed, { hint: t`Names or wildcards such as review/*, with commas; empty for all.` })}
  `
  return html`
    <details class="panel"${isOpen && html` open`}>
      <summary>New feature flag</summary>
      ${problemsOf(typed.errors, fields)}${form({ action: address, token, submit: t`Create` }, content)}
    </details>
  `
}

export function connectionPanel(
  { address, token }: Forms,
  { url, instance_id, resets }: { url: string; instance_id: string; resets: boolean },
): Html {
  const replace = form({ action: `${address}/reset_instance_id`, token, submit: t`Replace the instance ID`, kind: 'danger' }, html``)
  return html`
    <details class="panel">
      <summary>Connect a program</summary>
      <h2>URL</h2>
      ${copyable('URL', url)}
      <h2>Instance ID</h2>
      ${copyable(t`Instance ID`, instance_id)}
      <p class="hint">${flagSentences.appName}</p>
      ${resets && dangerous(t`Replace the instance ID`, html`<p>${flagSentences.resetting}</p>${replace}`)}
    </details>
  `
}

export function flagRow(flag: WholeFlag, { address, token, mayChange }: Forms & { mayChange: boolean }): Html {
  const { name, description, active, strategies } = flag
  const at = `${address}/${name}`
  const words = html`${active ? t`Turn off` : t`Turn on`}<span class="unseen"> ${name}</span>`
  const turn = postButton(words, { action: `${at}/switch`, token, fields: { active: String(!active) } })
  const deletion = form({ action: `${at}/delete`, token, submit: t`Delete`, kind: 'danger' }, html``)
  return html`
    <li>
      <div class="what">
        <b>${name}</b> <span class="tag${active && ' added'}">${active ? t`on` : t`off`}</span>
        ${description !== '' && html`<p>${isolated(description)}</p>`}
        <p>${strategies.length === 0 ? t`For nobody: it has no strategy.` : strategies.map((one) => html`${strategyWords(one)} `)}</p>
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
  const where = places.includes('*') ? t`everywhere` : places.length === 0 ? t`nowhere` : html`in ${isolated(places.join(', '))}`
  switch (name) {
    case 'default':
      return html`For everybody, ${where}.`
    case 'gitlabUserList':
      return html`For the users of ${isolated(user_list?.name ?? t`a list`)}, ${where}.`
    case 'userWithId':
      return html`For ${count((parameters.userIds ?? '').split(',').length, 'user')}, ${where}.`
    case 'gradualRolloutUserId':
      return html`For ${parameters.percentage ?? '0'} % of users, ${where}.`
    case 'flexibleRollout':
      return html`For ${parameters.rollout ?? '0'} % of users, ${where}.`
  }
}
