/** Who is served by the endpoints of groups and projects. */

import { cpuBudget } from '../../support/run/cpu.ts'
import { testAccess } from './matrix.ts'

cpuBudget(13, 'A part of the endpoints is asked by every rank.')

testAccess('spaces')
