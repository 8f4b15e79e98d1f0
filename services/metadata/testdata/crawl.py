"""What cloud-init makes of a metadata service: its own data sources and renderers, run against the URL of argv[1]."""

import json
import os
import sys
import tempfile
from unittest import mock

import yaml
from cloudinit import helpers, util
from cloudinit.distros import rhel
from cloudinit.net import netplan, network_state, networkd, sysconfig
from cloudinit.sources import DataSourceEc2 as ec2
from cloudinit.url_helper import readurl

base = sys.argv[1]


def crawl_ec2():
    paths = helpers.Paths({"cloud_dir": tempfile.mkdtemp(), "run_dir": tempfile.mkdtemp()})
    config = {"datasource": {"Ec2": {"metadata_urls": [base], "strict_id": False, "max_wait": 5}}}
    source = ec2.DataSourceEc2(config, mock.Mock(), paths)
    with mock.patch.object(ec2, "identify_platform", return_value=ec2.CloudNames.UNKNOWN):
        crawled = source.crawl_metadata()
        api_version = source.get_metadata_api_version()
    source.metadata = crawled["meta-data"]
    return {
        "version": api_version,
        "metadata": crawled["meta-data"],
        "user_data": crawled["user-data"].decode(),
        "instance_id": source.get_instance_id(),
        "keys": source.get_public_ssh_keys(),
        "zone": source.availability_zone,
    }


def read_nocloud():
    metadata, user_data, vendor_data = util.read_seeded(base + "/nocloud/", retries=0)
    return {
        "metadata": metadata,
        "user_data": user_data.decode(),
        "vendor_data": vendor_data.decode(),
    }


def render_network():
    config = yaml.safe_load(readurl(base + "/nocloud/network-config", retries=0).contents)
    state = network_state.parse_net_config_data(config)
    rendered = {}
    macs = {e["match"]["macaddress"]: name for name, e in config["ethernets"].items()}
    with mock.patch("cloudinit.net.network_state.get_interfaces_by_mac", return_value=macs, create=True):
        settings = (
            (netplan, {"netplan_path": "netplan.yaml"}),
            (networkd, {}),
            (sysconfig, {**rhel.Distro.renderer_configs["sysconfig"], "flavor": "rhel"}),
        )
        for module, options in settings:
            target = tempfile.mkdtemp()
            renderer = module.Renderer(options)
            with mock.patch.object(netplan.Renderer, "_netplan_generate", create=True), mock.patch.object(
                netplan.Renderer, "_net_setup_link", create=True
            ):
                renderer.render_network_state(state, target=target)
            rendered[module.__name__.split(".")[-1]] = {
                os.path.relpath(os.path.join(folder, file), target): open(os.path.join(folder, file)).read()
                for folder, _, files in os.walk(target)
                for file in files
            }
    return {"config": config, "rendered": rendered}


print(json.dumps({"ec2": crawl_ec2(), "nocloud": read_nocloud(), "network": render_network()}))
