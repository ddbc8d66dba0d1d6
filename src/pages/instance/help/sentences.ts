/** Sentences of the help. */

import type { Settings } from '../../../features/instance/settings/settings.ts'
import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const aboutService = () => t`Git repositories, code review, issues and CI, in one place.`
export const nothingPublic = () => t`Nothing is public here yet. Sign in to see more.`
export const askAdministrator = () => t`Ask your administrator for help.`
export const overHttp = () =>
  t`Over HTTP, git asks for your username and a password. Use a personal access token with the scope write_repository in its place.`
export const overSsh = () => t`Over SSH, git uses a key. Create one, and add its public part to your account:`
export const checkFingerprint = () => t`The first time you connect, SSH shows the fingerprint of this server. It has to be one of these:`
export const firstPush = () => t`A push to an address where nothing is yet creates a private project:`
export const lfsHelp = () => t`Git LFS works at the same addresses. Install it, and track the files that are large:`
export const apiHelp = () => t`Everything on these pages can be done through the API, which is that of release 11.3 of GitLab. Send a token
    in the header PRIVATE-TOKEN:`
export const feedsHelp = () => t`Projects, groups, users, commits and tags have feeds: add .atom to the address. Feed readers need the feed
    token of your account for what is not public; the pages have it in their links.`
export const keysHelp = () => t`Press ? on any page for the keys it knows.`
export const markdownHelp = () => t`Descriptions, comments, releases and the files of a repository are written in Markdown, as CommonMark
    describes it, with tables, and emoji such as :tada:. HTML is permitted as far as it is harmless.`

type Throttle = 'authenticated_api' | 'authenticated_web' | 'unauthenticated'

const throttleLabels: Record<Throttle, string> = translated({
  authenticated_api: 'API, signed in',
  authenticated_web: 'Pages, signed in',
  unauthenticated: 'Not signed in, by address',
})

export const noLimits = () => t`The number of requests is not limited here.`

/** The current limits, one per line. */
export function limitLines(settings: Settings): string[] {
  return (Object.keys(throttleLabels) as Throttle[])
    .filter((name) => settings[`throttle_${name}_enabled`])
    .map((name) => {
      const requests = count(settings[`throttle_${name}_requests_per_period`], 'request')
      return t`${throttleLabels[name]}: ${requests} in ${count(settings[`throttle_${name}_period_in_seconds`], 'second')}.`
    })
}
