# Registers machines and installs an operating system on each. `terraform apply` ends when every Workflow has succeeded. Needs kubectl
# 1.23 or newer on the host that runs it.
terraform {
  required_providers {
    kubectl = {
      source  = "gavinbunney/kubectl"
      version = ">= 1.14.0"
    }
  }
}

variable "kubeconfig" {
  description = "kubeconfig of the server: DATA_DIR/kubeconfig on the server itself"
  type        = string
}

variable "template_file" {
  description = "text of the Template; it may use image_url"
  type        = string
  default     = "template.yaml"
}

variable "image_url" {
  description = "image that the machines get, as they reach it"
  type        = string
}

variable "machines" {
  description = "machines by name"
  type = map(object({
    mac     = string
    address = string
    disk    = string
  }))
}

provider "kubectl" {
  config_path      = var.kubeconfig
  load_config_file = true
}

resource "kubectl_manifest" "hardware" {
  for_each = var.machines
  yaml_body = yamlencode({
    apiVersion = "tinkerbell.org/v1alpha1"
    kind       = "Hardware"
    metadata   = { name = each.key, namespace = "default" }
    spec = {
      disks = [{ device = each.value.disk }]
      interfaces = [{
        dhcp    = { mac = each.value.mac, hostname = each.key, ip = { address = each.value.address, netmask = "255.255.255.0" } }
        netboot = { allowPXE = true, allowWorkflow = true }
      }]
    }
  })
}

resource "kubectl_manifest" "template" {
  yaml_body = yamlencode({
    apiVersion = "tinkerbell.org/v1alpha1"
    kind       = "Template"
    metadata   = { name = "image", namespace = "default" }
    spec       = { data = file(var.template_file) }
  })
}

resource "kubectl_manifest" "workflow" {
  for_each = var.machines
  yaml_body = yamlencode({
    apiVersion = "tinkerbell.org/v1alpha1"
    kind       = "Workflow"
    metadata   = { name = "${each.key}-image", namespace = "default" }
    spec = {
      templateRef = "image"
      hardwareRef = each.key
      hardwareMap = { device_1 = each.value.mac, image_url = var.image_url }
    }
  })
  depends_on = [kubectl_manifest.hardware, kubectl_manifest.template]
}

resource "terraform_data" "installed" {
  for_each         = var.machines
  triggers_replace = kubectl_manifest.workflow[each.key].uid
  provisioner "local-exec" {
    command     = "kubectl wait workflow/${each.key}-image --namespace default --for=jsonpath='{.status.state}'=SUCCESS --timeout=45m"
    environment = { KUBECONFIG = abspath(var.kubeconfig) }
  }
}
