/** Answers a slash command: authenticates the chat and the user, and runs the command. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { mayUse } from '../../../access/features.ts'
import { findProject, type LocatedProject } from '../../../access/find.ts'
import { mayAct } from '../../../access/states.ts'
import { userById } from '../../../access/users.ts'
import { everything } from '../../../access/visible.ts'
import type { App } from '../../../app.ts'
import type { Integration } from '../../../db/tables.ts'
import { Failure, notFound, nullIfMissing } from '../../../failure.ts'
import { readSettings, termsAccepted } from '../../instance/settings/settings.ts'
import { textOf } from '../kinds/kinds.ts'
import { integrationAt, settingsOf } from '../services/services.ts'
import type { Answer } from './answers.schema.ts'
import * as say from './answers.ts'
import { connectionUrl, findChatName, type SentChatUser } from './chat-names.service.ts'
import { type Feature, readCommand, usagesOf } from './commands.ts'
import { deploy } from './deploy.service.ts'
import { runOnIssue } from './issue-commands.service.ts'

export interface SentCommand extends SentChatUser {
  token: string
  /** The name of the slash command in the chat: `/forge`. */
  command?: string | undefined
  text?: string | undefined
}

const slugs = ['slack-slash-commands', 'mattermost-slash-commands']

/** Throws 404 for a wrong token, whether or not the project and the integration exist. */
export async function answerCommand(
  app: App,
  { id, slug, ip }: { id: string; slug: string; ip: string },
  sent: SentCommand,
  at = new Date(),
): Promise<Answer> {
  const { project, integration } = await commandedBy(app, id, slug.replaceAll('_', '-'), sent.token)
  const chatName = await findChatName(app.db, integration.id, sent, at)
  if (!chatName) {
    const url = connectionUrl(app, integration, sent, at)
    return url === null ? say.unidentified() : say.connectFirst(url)
  }
  return run(app, project, chatName.user_id, sent, ip)
}

async function commandedBy(
  app: App,
  id: string,
  slug: string,
  token: string,
): Promise<{ project: LocatedProject; integration: Integration }> {
  const found = slugs.includes(slug) ? await findProject(app.db, id, everything).catch(nullIfMissing) : null
  const integration = found && (await integrationAt(app.db, found.project.id, slug))
  const expected = integration?.active ? textOf(settingsOf(app, integration), 'token') : ''
  if (!found || !integration || !isSame(token, expected)) throw notFound('Service')
  return { project: found.project, integration }
}

/** Compares in constant time. */
function isSame(sent: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(sent), digest(expected)) && expected !== ''
}

/** Users who have lost access since they connected their account get the same answer as users who never had it. */
async function run(
  app: App,
  { id }: LocatedProject,
  user_id: number,
  { text = '', command = '' }: SentCommand,
  ip: string,
): Promise<Answer> {
  const user = await userById(app.db, user_id)
  const access = user && mayAct(user) ? await findProject(app.db, String(id), user).catch(nullIfMissing) : null
  if (!user || !access) return say.denied()
  if (!termsAccepted(await readSettings(app.db), user)) return say.acceptFirst(`${app.config.url}/-/terms`)
  const features = (['issues', 'builds'] satisfies Feature[]).filter((feature) => mayUse(feature, access))
  const called = readCommand(text, features)
  if (!called) return say.help(usagesOf(features), command, text.trim().startsWith('help'))
  const actor = { user, ...access }
  try {
    return await (called.name === 'deploy' ? deploy(app, actor, called) : runOnIssue(app, actor, called, { ip, user_agent: '' }))
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error
    if (error.code === 'not_found') return say.nothingFound()
    return error.code === 'forbidden' ? say.denied() : say.refused(error)
  }
}
