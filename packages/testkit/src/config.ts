/** The environment variables of the service. */
export { variables } from '../../server/src/config.ts'
