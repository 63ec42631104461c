export { sharp } from '../../server/src/images/sharp.ts'
