/** Endpoints of lint, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { lint } from './lint.endpoints.ts'

export const lintFeature = feature({ endpoints: section('CI files', lint) })
