/** Background work of tokens that are sent by mail, for the table of contents. */
import { feature } from '../../feature.ts'
import { pruneAccountTokens } from './account-tokens.jobs.ts'

export const accountTokensFeature = feature({ jobs: [pruneAccountTokens] })
