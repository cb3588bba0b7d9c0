"""Reads the inputs of tokens as JSON from standard input, and writes the URL that botocore presigns for each."""
import datetime
import json
import sys

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def presigned(given):
    # All that botocore asks of the clock.
    now = datetime.datetime.strptime(given["time"], "%Y-%m-%dT%H:%M:%S.%fZ")
    botocore.auth.get_current_datetime = lambda: now
    credentials = Credentials(given["accessKeyId"], given["secretAccessKey"], given.get("sessionToken"))
    request = AWSRequest(
        method="GET",
        url=f"https://sts.{given['region']}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
        headers={"x-k8s-aws-id": given["clusterName"]},
    )
    botocore.auth.SigV4QueryAuth(credentials, "sts", given["region"], expires=60).add_auth(request)
    return request.url


json.dump([presigned(given) for given in json.load(sys.stdin)], sys.stdout)
