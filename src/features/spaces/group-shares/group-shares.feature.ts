/** Endpoints of group shares, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { groupShares } from './group-shares.endpoints.ts'

export const groupSharesFeature = feature({ endpoints: section('Projects', groupShares) })
