/** Answers to slash commands: some are only for the user who asked, others for everyone in the channel. */
import type { Failure } from '../../../failure.ts'
import { type Rich, slackMarkup } from '../kinds/kinds.ts'
import type { Answer, Attachment } from './answers.schema.ts'

/** Only for the user who asked. */
export function privately(text: Rich, attachments?: Attachment[]): Answer {
  return { response_type: 'ephemeral', status: 200, text: slackMarkup(text), ...(attachments && { attachments }) }
}

/** For everyone in the channel. */
export function inChannel(answer: { text?: Rich; attachments?: Attachment[] }): Answer {
  const { text, attachments } = answer
  return { response_type: 'in_channel', status: 200, ...(text && { text: slackMarkup(text) }), ...(attachments && { attachments }) }
}

export const denied = (): Answer => privately(['You are not allowed to do this.'])
export const nothingFound = (): Answer => privately(['Nothing was found: it is not there, or you can not see it.'])
export const unidentified = (): Answer => privately(['The chat did not say who you are, so nothing was done.'])

export function connectFirst(url: string): Answer {
  return privately(['Before anything is done for you, please ', { text: 'connect your account', url }, '.'])
}

export function acceptFirst(url: string): Answer {
  return privately(['Before anything is done for you, please ', { text: 'accept the terms of service', url }, '.'])
}

export function help(usages: readonly string[], command: string, isAsked: boolean): Answer {
  if (usages.length === 0) return privately(['No commands are available in this project.'])
  const heading = isAsked ? 'Available commands:' : 'Unknown command. These are available:'
  return privately([
    listed(
      heading,
      [...usages, 'help'].map((usage) => `${command} ${usage}`.trim()),
    ),
  ])
}

/** With the message of the API. */
export function refused({ body, message }: Failure): Answer {
  return privately([listed('Nothing was changed, because:', reasonsOf(body.message ?? body.error ?? message))])
}

function reasonsOf(message: unknown): string[] {
  if (typeof message === 'string') return [message]
  if (Array.isArray(message)) return message.map(String)
  const byField = Object.entries(message as Record<string, string | string[]>)
  return byField.flatMap(([field, errors]) => [errors].flat().map((error) => (field === 'error' ? error : `${field} ${error}`)))
}

function listed(heading: string, items: readonly string[]): string {
  return [heading, ...items.map((item) => `- ${item}`)].join('\n')
}
