/** Endpoints of commits, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { commits } from './commits.endpoints.ts'
import { signatures } from './signature.endpoints.ts'

export const commitsFeature = feature({ endpoints: section('Commits', commits, signatures) })
