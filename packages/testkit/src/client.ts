export {
  type Client as TestClient,
  type ClientResponse as TestResponse,
  createClient,
  type Exchange,
} from '../../server/src/cli/demo/demo-client.ts'
