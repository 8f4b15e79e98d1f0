kubeconfig = "data/kubeconfig"
image_url  = "http://192.168.56.4:7080/images/debian-12.img.zst"

machines = {
  m1 = { mac = "08:00:27:9e:f5:3a", address = "192.168.56.43", disk = "/dev/sda" }
}
