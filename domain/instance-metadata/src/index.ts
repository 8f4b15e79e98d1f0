export { clientAddressOf, type ClientAddress, type Sender } from './client-address.ts';
export { diskLayoutOf } from './disk-layout.ts';
export { EC2_VERSIONS, ec2NodeAt, type Ec2Node, type Ec2Topic } from './ec2-tree.ts';
export { NOCLOUD_DOCUMENTS, nocloudDocument, type NocloudDocument } from './nocloud.ts';
