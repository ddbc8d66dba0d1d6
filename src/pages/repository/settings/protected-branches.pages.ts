/** Pages and actions of protected branches and tags. */

import { Type } from 'typebox'
import { tagAddress } from '../../../addresses/repository.ts'
import type { App } from '../../../app.ts'
import { Failure, missing } from '../../../failure.ts'
import {
  branchRulesOf,
  changeBranchRule,
  changeTagRule,
  isRuleFor,
  protectBranch,
  protectTag,
  removeBranchRule,
  removeTagRule,
  tagRulesOf,
} from '../../../features/repository/protected-refs/protected-refs.ts'
import { pageOfRefs } from '../../../git/refs/refs.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project, unarchived } from '../../../http/declare/rules.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import { pageFrom } from '../../../http/reply/page.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { pageNumber, pagesBelow } from '../../frame/paging.ts'
import { emptyState } from '../../frame/parts.ts'
import { branchLink } from '../refs/parts.ts'
import { kinds, protectionSection, type ShownRule } from './protected-branches.ts'
import { protectionSentences } from './sentences.ts'
import { type SettingsVisit, settingsAddress, settingsView } from './settings-frame.ts'

const access = unarchived(project('protect_branches'))
const reading = project('protect_branches')
const Level = oneOf('0', '30', '40')
const perPage = 50
const branchFlags = {
  allow_force_push: Type.Boolean({ default: false }),
  code_owner_approval_required: Type.Boolean({ default: false }),
}

const flagsOf = ({ allow_force_push, code_owner_approval_required }: Record<keyof typeof branchFlags, boolean>) => ({
  allow_force_push,
  code_owner_approval_required,
})

async function shownRules({ app, project }: Pick<SettingsVisit, 'app' | 'project'>, kind: 'branch' | 'tag'): Promise<ShownRule[]> {
  if (kind === 'tag') {
    const rules = await tagRulesOf(app.db, project.id)
    return rules.map(({ id, name, create_level }) => ({
      id,
      name,
      levels: { create_level: { label: t`Allowed to create`, level: create_level } },
    }))
  }
  const rules = await branchRulesOf(app.db, project.id)
  return rules.map(({ id, name, push_level, merge_level, allow_force_push, code_owner_approval_required }) => ({
    id,
    name,
    levels: {
      push_level: { label: t`Allowed to push`, level: push_level },
      merge_level: { label: t`Allowed to merge`, level: merge_level },
    },
    flags: { allow_force_push, code_owner_approval_required },
  }))
}

export async function protectionOfKind(
  visit: SettingsVisit,
  kind: 'branch' | 'tag',
  typed?: Typed,
  failed: number | null = null,
): Promise<Html> {
  return protectionSection(visit, kinds()[kind], await shownRules(visit, kind), typed, failed)
}

async function sectionView(visit: SettingsVisit, kind: 'branch' | 'tag', typed?: Typed, id?: string): Promise<View> {
  return settingsView(visit, [await protectionOfKind(visit, kind, typed, id === undefined ? null : Number(id))], t`Protection`)
}

/** Throws 404 if the project has no such rule. */
async function ruleAt(app: App, projectId: number, kind: 'branch' | 'tag', id: string): Promise<{ id: number; name: string }> {
  const rules = await (kind === 'branch' ? branchRulesOf : tagRulesOf)(app.db, projectId)
  const rule = rules.find((candidate) => String(candidate.id) === id)
  if (!rule) throw missing()
  return rule
}

function asTaken(error: unknown, name: string): never {
  if (!(error instanceof Failure && (error.code === 'conflict' || error.code === 'unprocessable'))) throw error
  throw new Failure('invalid', protectionSentences.taken(name), { cause: error })
}

/** As the message of the field. */
function aboutName({ values, errors }: Typed): Typed {
  return { values, errors: { all: [], of: { ...errors.of, name: [...(errors.of.name ?? []), ...errors.all] } } }
}

const ofBranches = [
  action('POST /:project/protected_branches', {
    access,
    form: { name: Type.String(), push_level: Level, merge_level: Level, ...branchFlags },
    async act({ app, project, sent }) {
      const name = sent.name.trim()
      const levels = { push_level: Number(sent.push_level), merge_level: Number(sent.merge_level), ...flagsOf(sent) }
      await protectBranch(app.db, { project_id: project.id, name, ...levels }).catch((error) => asTaken(error, name))
      return { redirect: settingsAddress(project, 'protected-branches'), notice: protectionSentences.protected(name) }
    },
    again: (visit, typed) => sectionView(visit, 'branch', aboutName(typed)),
  }),
  action('POST /:project/protected_branches/:rule', {
    access,
    form: { push_level: Level, merge_level: Level, ...branchFlags },
    async act({ app, project, params, sent }) {
      const { id, name } = await ruleAt(app, project.id, 'branch', params.rule)
      const levels = { push_level: Number(sent.push_level), merge_level: Number(sent.merge_level), ...flagsOf(sent) }
      await changeBranchRule(app.db, id, levels)
      return { redirect: settingsAddress(project, 'protected-branches'), notice: protectionSentences.changed(name) }
    },
    again: (visit, typed) => sectionView(visit, 'branch', typed, visit.params.rule),
  }),
]

const ofTags = [
  action('POST /:project/protected_tags', {
    access,
    form: { name: Type.String(), create_level: Level },
    async act({ app, project, sent }) {
      const name = sent.name.trim()
      const rule = { project_id: project.id, name, create_level: Number(sent.create_level) }
      await protectTag(app.db, rule).catch((error) => asTaken(error, name))
      return { redirect: settingsAddress(project, 'protected-tags'), notice: protectionSentences.protected(name) }
    },
    again: (visit, typed) => sectionView(visit, 'tag', aboutName(typed)),
  }),
  action('POST /:project/protected_tags/:rule', {
    access,
    form: { create_level: Level },
    async act({ app, project, params, sent }) {
      const { id, name } = await ruleAt(app, project.id, 'tag', params.rule)
      await changeTagRule(app.db, id, Number(sent.create_level))
      return { redirect: settingsAddress(project, 'protected-tags'), notice: protectionSentences.changed(name) }
    },
    again: (visit, typed) => sectionView(visit, 'tag', typed, visit.params.rule),
  }),
]

/** The pages of one kind, and the action that removes a rule. Both kinds have the same parameters, so one type fits both. */
function pagesOf<W extends 'protected_branches' | 'protected_tags'>(kind: 'branch' | 'tag', word: W): Page[] {
  const refKind = kind === 'branch' ? 'heads' : 'tags'
  return [
    page(`GET /:project/${word as 'protected_branches'}`, { access: reading, show: (visit) => sectionView(visit, kind) }),
    page(`GET /:project/${word as 'protected_branches'}/:rule`, {
      access: reading,
      query: pageNumber,
      async show({ sent, ...visit }) {
        const { app, project, repo, params } = visit
        const rule = await ruleAt(app, project.id, kind, params.rule)
        const filter = async (names: string[]) => names.map((name) => isRuleFor(rule, name))
        const { rows, total } = await pageOfRefs(
          repo,
          refKind,
          { order_by: 'name', sort: 'asc', filter },
          pageFrom({ page: sent.page, per_page: perPage }),
        )
        const list = html`
          <ul class="rows">
            ${rows.map(
              ({ name }) =>
                html`
                  <li>
                    ${
                      kind === 'branch'
                        ? branchLink(project, name)
                        : html`<a class="ref" href="${tagAddress(project, name)}"><bdi>${name}</bdi></a>`
                    }
                  </li>
                `,
            )}
          </ul>
        `
        const content = html`
          <section>
            <h2>
              <bdi class="ref">${rule.name}</bdi> <span class="hint">${protectionSentences.matches(total, kind)}</span>
            </h2>
            ${total === 0 ? emptyState(protectionSentences.noMatches(kind)) : list}
            ${pagesBelow(`/${project.full_path}/${word}/${rule.id}`, { page: sent.page, per_page: perPage, total })}
          </section>
        `
        return settingsView(visit, [content], kinds()[kind].title)
      },
    }),
    action(`POST /:project/${word as 'protected_branches'}/:rule/delete`, {
      access,
      async act({ app, project, params }) {
        const redirect = settingsAddress(project, word.replace('_', '-'))
        const rule = await ruleAt(app, project.id, kind, params.rule).catch(() => null)
        if (!rule) return { redirect, notice: protectionSentences.gone }
        await (kind === 'branch' ? removeBranchRule : removeTagRule)(app.db, rule.id)
        return { redirect, notice: protectionSentences.unprotected(rule.name) }
      },
    }),
  ]
}

export const protectionPages: Page[] = [
  ...pagesOf('branch', 'protected_branches'),
  ...pagesOf('tag', 'protected_tags'),
  ...ofBranches,
  ...ofTags,
]
