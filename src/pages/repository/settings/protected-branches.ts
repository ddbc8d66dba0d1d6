/** The section of protected branches or tags: the rules, what wildcards match, and forms to change them. */

import { isRuleFor } from '../../../features/repository/protected-refs/protected-refs.ts'
import { listRefs } from '../../../git/refs/refs.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { type Html, html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, checkbox, field, form, postButton, problemsOf, select, untouched } from '../../frame/forms.ts'
import { recentNames } from '../refs/parts.ts'
import { protectionSentences } from './sentences.ts'
import { type SettingsVisit, section } from './settings-frame.ts'

const levelNames: Readonly<Record<number, string>> = translated({ 0: 'No one', 30: 'Developers + Maintainers', 40: 'Maintainers' })

const levelChoices = (): Choice[] => [40, 30, 0].map((level) => [String(level), levelNames[level] as string])

export interface ShownRule {
  id: number
  name: string
  /** The fields of access levels with their labels. */
  levels: Record<string, { label: string; level: number }>
  /** Undefined for tags. */
  flags?: Record<keyof typeof flagWords, boolean>
}

/** The boxes of a protected branch: what they say, and what the list says where they are ticked. */
const flagWords = translated({
  allow_force_push: { label: 'Allow forced pushes', ticked: 'Forced pushes allowed', hint: protectionSentences.forced },
  code_owner_approval_required: {
    label: 'Require code owners',
    ticked: 'Code owners required',
    hint: protectionSentences.codeOwners,
  },
} as const)
const flagNames = Object.keys(flagWords) as Array<keyof typeof flagWords>

interface Kind {
  kind: 'branch' | 'tag'
  /** The id of the section, and the word in URLs: `protected_branches`. */
  word: 'protected_branches' | 'protected_tags'
  title: string
  what: string
  none: string
  nameHint: string
  /** The selected levels in the form for a new rule. */
  levels: Record<string, string>
}

export const kinds = (): Record<'branch' | 'tag', Kind> => ({
  branch: {
    kind: 'branch',
    word: 'protected_branches',
    title: t`Protected branches`,
    what: protectionSentences.branches,
    none: protectionSentences.noBranches,
    nameHint: protectionSentences.nameHint,
    levels: { push_level: t`Allowed to push`, merge_level: t`Allowed to merge` },
  },
  tag: {
    kind: 'tag',
    word: 'protected_tags',
    title: t`Protected tags`,
    what: protectionSentences.tags,
    none: protectionSentences.noTags,
    nameHint: protectionSentences.tagNameHint,
    levels: { create_level: t`Allowed to create` },
  },
})

/** Limit of comparisons of names with wildcards on one page: more would block the event loop for everyone. */
const maxComparisons = 500_000

/** The number of branches or tags that the wildcard of each rule matches; null if there are too many to compare. */
async function matchCounts(repo: Repo, { kind }: Kind, rules: readonly ShownRule[]): Promise<Map<number, number | null>> {
  const wildcards = rules.filter(({ name }) => name.includes('*'))
  if (wildcards.length === 0) return new Map()
  const refs = await listRefs(repo, kind === 'branch' ? 'heads' : 'tags')
  if (refs.length * wildcards.length > maxComparisons) return new Map(wildcards.map(({ id }) => [id, null]))
  return new Map(wildcards.map((rule) => [rule.id, refs.filter(({ name }) => isRuleFor(rule, name)).length]))
}

/** `typed` belongs to the form of the rule `failed`, or to that of a new one if it is null. */
export async function protectionSection(
  visit: SettingsVisit,
  kind: Kind,
  rules: readonly ShownRule[],
  typed: Typed = untouched,
  failed: number | null = null,
): Promise<Html> {
  const { project, repo, token } = visit
  const address = `/${project.full_path}/${kind.word}`
  const counts = await matchCounts(repo, kind, rules)
  const list =
    rules.length === 0
      ? html`<p class="empty">${kind.none}</p>`
      : html`
        <ul class="rows">
          ${rules.map((rule) => ruleRow({ address, token }, kind, rule, { counts, typed: failed === rule.id ? typed : untouched }))}
        </ul>
      `
  const fresh = failed === null ? typed : untouched
  const names = await recentNames(repo, kind.kind === 'branch' ? 'heads' : 'tags')
  const levels = Object.entries(kind.levels).map(([name, label]) =>
    select(label, name, fresh, levelChoices(), { id: `${kind.kind}-`, value: '40' }),
  )
  const boxes =
    kind.kind === 'branch' &&
    flagNames.map((name) => {
      const { label, hint } = flagWords[name]
      return checkbox(label, name, fresh, { id: 'branch-', value: 'false', hint })
    })
  const fields = html`${problemsOf(fresh.errors, ['name', ...Object.keys(kind.levels)])}${field(t`Name or wildcard`, 'name', fresh, {
    id: `${kind.kind}-`,
    required: true,
    autocomplete: 'off',
    hint: kind.nameHint,
    list: names,
  })}${levels}${boxes}`
  return section(
    kind.word.replace('_', '-'),
    kind.title,
    html`
      <p class="hint">${kind.what}</p>
      ${list}
      <details class="entry"${failed === null && typed !== untouched && html` open`}>
        <summary>${kind.kind === 'branch' ? t`Protect a branch` : t`Protect a tag`}</summary>
        ${form({ action: address, token, submit: t`Protect` }, fields)}
      </details>
    `,
  )
}

function ruleRow(
  { address, token }: { address: string; token: Html },
  { kind }: Kind,
  { id, name, levels, flags }: ShownRule,
  { counts, typed }: { counts: Map<number, number | null>; typed: Typed },
): Html {
  const matching = counts.get(id)
  const matches =
    matching === undefined
      ? null
      : html`
        <p>
          <a href="${address}/${id}">${
            matching === null ? t`Matches` : t`Matches ${protectionSentences.matches(matching, kind)}`
          }</a>${matching === null && html` <span class="hint">${protectionSentences.manyRefs}</span>`}
        </p>
      `
  const selects = Object.entries(levels).map(([field, { label, level }]) =>
    select(label, field, typed, levelChoices(), { id: `${kind}-${id}-`, value: String(level) }),
  )
  const boxes =
    flags !== undefined &&
    flagNames.map((one) => checkbox(flagWords[one].label, one, typed, { id: `${kind}-${id}-`, value: flags[one] ? 'true' : 'false' }))
  const summary = [
    ...Object.values(levels).map(({ label, level }) => `${label}: ${levelNames[level] ?? level}`),
    ...flagNames.filter((one) => flags?.[one] === true).map((one) => flagWords[one].ticked),
  ].join(' · ')
  return html`
    <li>
      <div class="what">
        <bdi class="ref">${name}</bdi>
        <p>${summary}</p>
        ${matches}
      </div>
      <div class="facts">
        <details class="entry"${typed !== untouched && html` open`}>
          <summary>Change<span class="unseen"> <bdi>${name}</bdi></span></summary>
          ${form(
            { action: `${address}/${id}`, token, submit: t`Save`, kind: 'plain' },
            html`${problemsOf(typed.errors, Object.keys(levels))}${selects}${boxes}`,
          )}
        </details>
        ${postButton(html`Unprotect<span class="unseen"> <bdi>${name}</bdi></span>`, {
          action: `${address}/${id}/delete`,
          token,
          kind: 'danger',
        })}
      </div>
    </li>
  `
}
