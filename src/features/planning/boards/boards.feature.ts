/** Endpoints of boards, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { boards } from './boards.endpoints.ts'

export const boardsFeature = feature({ endpoints: section('Boards', boards) })
