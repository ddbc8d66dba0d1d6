/** Access to the endpoints of groups. */

import { cpuBudget } from '../../support/run/cpu.ts'
import { testAccess } from './matrix.ts'

cpuBudget(8, 'A part of the endpoints is asked by every rank.')

testAccess('groups')
