/** Mirrors of a project: repositories elsewhere that follow it, and the one that it follows. */

import { Type } from 'typebox'
import type { PushMirror } from '../../../db/tables.ts'
import { nullIfMissing } from '../../../failure.ts'
import { type SentPullMirror, setPullMirror, startPullMirror } from '../../../features/transfer/pull-mirrors/pull-mirrors.ts'
import {
  changePushMirror,
  createPushMirror,
  deletePushMirror,
  findPushMirror,
  type SentMirror,
  syncPushMirror,
} from '../../../features/transfer/push-mirrors/push-mirrors.ts'
import { t } from '../../../html/sentences.ts'
import { only, people, project, unarchived } from '../../../http/declare/rules.ts'
import { Id, Off, oneOf } from '../../../http/parameters/schema.ts'
import { action, type Page, page, type Typed, type View } from '../../frame/declaration.ts'
import { mirrorsSection } from './mirrors-view.ts'
import { mirrorSentences as say } from './sentences.ts'
import { type SettingsVisit, settingsAddress, settingsView } from './settings-frame.ts'

const access = project('manage_mirrors')
const changing = only(unarchived(access), people)

const text = Type.String({ default: '' })
const common = {
  url: text,
  auth_user: text,
  auth_password: text,
  auth_method: oneOf('password', 'ssh_public_key'),
  host_keys: text,
  enabled: Off,
  only_protected_branches: Off,
  mirror_branch_regex: text,
}
const ofPush = { ...common, keep_divergent_refs: Off }
const ofPull = { ...common, overwrites_diverged_branches: Off, trigger_builds: Off }

interface Connection {
  url: string
  auth_user: string
  auth_password: string
  host_keys: string
}

export const mirrorPages: Page[] = [
  page('GET /:project/mirrors', {
    access,
    show: async (visit) => settingsView(visit, [await mirrorsSection(visit)], t`Mirrors`),
  }),
  action('POST /:project/mirrors', {
    access: changing,
    form: ofPush,
    async act({ app, user, project, sent }) {
      const settings = pushSettings(sent)
      await createPushMirror(app, user, project.id, { ...settings, url: settings.url ?? '' })
      return { redirect: settingsAddress(project, 'mirrors'), notice: say.added }
    },
    again: (visit, typed) => again(visit, typed, 'new'),
  }),
  action('POST /:project/mirrors/change', {
    access: changing,
    form: { id: Id, ...ofPush },
    async act({ app, user, project, sent: { id, ...sent } }) {
      const redirect = settingsAddress(project, 'mirrors')
      const mirror = await pushMirror({ app, project }, id)
      if (!mirror) return { redirect, notice: say.gone }
      await changePushMirror(app, user, mirror, pushSettings(sent))
      return { redirect, notice: say.saved }
    },
    again: (visit, typed) => again(visit, typed, Number(typed.values.id)),
  }),
  action('POST /:project/mirrors/update', {
    access: unarchived(access),
    form: { id: Id },
    async act({ app, project, sent: { id } }) {
      const mirror = await pushMirror({ app, project }, id)
      if (mirror) await syncPushMirror(app, mirror)
      return { redirect: settingsAddress(project, 'mirrors'), notice: mirror ? say.asked : say.gone }
    },
  }),
  action('POST /:project/mirrors/remove', {
    access,
    form: { id: Id },
    async act({ app, project, sent: { id } }) {
      const mirror = await pushMirror({ app, project }, id)
      if (mirror) await deletePushMirror(app.db, mirror.id)
      return { redirect: settingsAddress(project, 'mirrors'), notice: mirror ? say.removed : say.gone }
    },
  }),
  action('POST /:project/mirrors/pull', {
    access: changing,
    form: ofPull,
    async act({ app, user, project, sent }) {
      await setPullMirror(app, user, project.id, pullSettings(sent))
      return { redirect: settingsAddress(project, 'mirrors'), notice: say.saved }
    },
    again: (visit, typed) => again(visit, typed, 'pull'),
  }),
  action('POST /:project/mirrors/pull/update', {
    access: unarchived(access),
    async act({ app, project }) {
      await startPullMirror(app, project.id)
      return { redirect: settingsAddress(project, 'mirrors'), notice: say.asked }
    },
  }),
]

async function again(visit: SettingsVisit, typed: Typed, failed: 'new' | 'pull' | number): Promise<View> {
  return settingsView(visit, [await mirrorsSection(visit, { typed, failed })], t`Mirrors`)
}

function pushMirror({ app, project }: Pick<SettingsVisit, 'app' | 'project'>, id: number): Promise<PushMirror | null> {
  return findPushMirror(app.db, project.id, id).catch(nullIfMissing)
}

/** Empty fields keep what is set. */
function connectionOf({ url, auth_user, auth_password, host_keys }: Connection) {
  return {
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(auth_user !== '' && { auth_user }),
    ...(auth_password !== '' && { auth_password }),
    ...(host_keys.trim() !== '' && { host_keys: [host_keys] }),
  }
}

function pushSettings(sent: Connection & Omit<SentMirror, keyof Connection>): SentMirror {
  const { url, auth_user, auth_password, host_keys, ...settings } = sent
  return { ...settings, ...connectionOf({ url, auth_user, auth_password, host_keys }) }
}

interface PullForm extends Connection, Required<Pick<SentPullMirror, 'auth_method' | 'enabled' | 'mirror_branch_regex'>> {
  only_protected_branches: boolean
  overwrites_diverged_branches: boolean
  trigger_builds: boolean
}

function pullSettings(sent: PullForm): SentPullMirror {
  const { auth_method, enabled, mirror_branch_regex } = sent
  return {
    auth_method,
    enabled,
    mirror_branch_regex,
    only_mirror_protected_branches: sent.only_protected_branches,
    mirror_overwrites_diverged_branches: sent.overwrites_diverged_branches,
    mirror_trigger_builds: sent.trigger_builds,
    ...connectionOf(sent),
  }
}
