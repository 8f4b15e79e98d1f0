export { parseXml } from './xml/parse-xml.ts';
export { childOf, childText, findElement, type XmlElement } from './xml/xml-element.ts';
export { xmlText } from './xml/xml-text.ts';
export {
  className,
  encodeRequest,
  type Instance,
  type Member,
  type Selectors,
  type WsmanOperation,
  type WsmanRequest,
} from './envelope.ts';
export {
  decodeAnswer,
  instanceIn,
  pageIn,
  returnValueIn,
  type Page,
  type WsmanAnswer,
  type WsmanFault,
} from './answer.ts';
export {
  digestAuthorization,
  parseDigestChallenge,
  type DigestAlgorithm,
  type DigestChallenge,
  type DigestHash,
  type DigestRequest,
} from './digest.ts';
export { amtClass, bootConfiguration, managedSystem } from './amt/classes.ts';
export {
  amtPowerOf,
  describeReturn,
  powerRequest,
  type AmtPower,
  type AmtPowerRequest,
} from './amt/power.ts';
export { listenerSettings, redirectionRequest } from './amt/redirection.ts';
export { bootOrderRequest, bootRoleRequest, bootSettings, type AmtBootSource } from './amt/boot.ts';
export { httpsBootSupport, isNextBoot, nextBootOf, type AmtNextBoot } from './amt/next-boot.ts';
export {
  HTTPS_BOOT_URL_BYTES_MAX,
  httpsBootParameters,
  urlInParameters,
} from './amt/uefi-boot-parameters.ts';
